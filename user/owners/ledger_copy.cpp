// SPDX-License-Identifier: GPL-2.0-or-later
#include "owners/ledger_copy.h"

#include "base/descriptor.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <kmod/core/owners/ledger_image.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <vector>

namespace causeway {

namespace {

std::uint32_t ledger_crc(const void *data, std::size_t size) {
    boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;
    crc.process_bytes(data, size);
    return crc.checksum();
}

void put_uuid(std::uint8_t *to, const Uuid &uuid) {
    std::copy(uuid.bytes().begin(), uuid.bytes().end(), to);
}

Uuid uuid_at(const std::uint8_t *from) {
    std::array<std::uint8_t, Uuid::size> bytes{};
    std::copy_n(from, bytes.size(), bytes.begin());
    return Uuid(bytes);
}

void draw(std::uint8_t *to, std::size_t size) {
    while (size != 0) {
        const ssize_t got = ::getrandom(to, size, 0);
        if (got < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "getrandom");
        }
        if (got > 0) {
            to += got;
            size -= static_cast<std::size_t>(got);
        }
    }
}

LedgerCopy unreadable(LedgerCopy copy, int number) {
    copy.state = LedgerCopy::State::unreadable;
    copy.fault = std::strerror(number);
    return copy;
}

// Reads at most the size of a ledger's file. Returns 0 or a positive errno.
int read_start(const Descriptor &file, std::vector<std::uint8_t> &image) {
    image.resize(CW_LEDGER_FILE);
    std::size_t size = 0;
    while (size < image.size()) {
        const ssize_t got = ::read(file.get(), image.data() + size, image.size() - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return errno;
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    image.resize(size);
    return 0;
}

} // namespace

std::size_t ledger_file_size() {
    return CW_LEDGER_FILE;
}

LedgerCopy read_ledger_copy(const std::filesystem::path &place) {
    LedgerCopy copy;
    const Descriptor file(::open(place.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
        const int number = errno;
        copy.regular = number != ELOOP;
        return number == ENOENT ? copy : unreadable(copy, number);
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return unreadable(copy, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        copy.state = LedgerCopy::State::unreadable;
        copy.regular = false;
        copy.fault = "it is not a regular file";
        return copy;
    }
    copy.size = static_cast<std::uint64_t>(status.st_size);
    std::vector<std::uint8_t> image;
    if (const int number = read_start(file, image); number != 0) {
        return unreadable(copy, number);
    }
    std::vector<cw_ledger_host> hosts(CW_LEDGER_HOSTS_MAX);
    cw_ledger ledger{};
    ledger.hosts = hosts.data();
    ledger.room = CW_LEDGER_HOSTS_MAX;
    const cw_ledger_fault fault = cw_ledger_decode(&ledger, image.data(), image.size(), ledger_crc);
    copy.state =
        fault == CW_LEDGER_GOOD ? LedgerCopy::State::readable : LedgerCopy::State::unreadable;
    if (fault == CW_LEDGER_GOOD) {
        copy.head = {uuid_at(ledger.uuid), uuid_at(ledger.identity), ledger.generation};
    } else {
        copy.fault = cw_ledger_fault_text(fault);
    }
    explicit_bzero(ledger.secret, sizeof(ledger.secret));
    explicit_bzero(image.data(), image.size());
    return copy;
}

std::string new_ledger_image(const LedgerHead &head) {
    cw_ledger ledger{};
    put_uuid(ledger.uuid, head.uuid);
    put_uuid(ledger.identity, head.identity);
    draw(ledger.secret, sizeof(ledger.secret));
    ledger.generation = head.generation;
    std::string image(CW_LEDGER_FILE, '\0');
    cw_ledger_encode(reinterpret_cast<std::uint8_t *>(image.data()), &ledger, ledger_crc);
    explicit_bzero(ledger.secret, sizeof(ledger.secret));
    return image;
}

} // namespace causeway
