// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/codec.h"

#include "kernel/message_attributes.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>

namespace causeway {

namespace {

// Number 0 is no attribute, and number 1 is padding.
constexpr std::size_t first_counter = 2;

Error unreadable(const std::string &fault) {
    return Error{ExitCode::failed, fmt::format("the kernel's answer cannot be read: {}", fault),
                 "the module and this command are probably of different versions: compare "
                 "\"modinfo -F version causeway\" with \"causeway version\""};
}

template <typename T> Result<T> unless_faulty(const Attributes &from, T value) {
    if (!from.fault().empty()) {
        return unreadable(from.fault());
    }
    return value;
}

// Reads members of a message.
struct Reader {
    const Attributes &from;

    void operator()(int type, bool &flag) const { flag = from.has(type); }
    void operator()(int type, std::string &text) const { text = from.text(type); }
    void operator()(int type, Backend &backend) const {
        backend = static_cast<Backend>(from.u8(type).value_or(0));
    }

    template <std::integral Number> void operator()(int type, Number &number) const {
        number = from.number<Number>(type).value_or(number);
    }

    template <std::integral Number> void operator()(int type, std::optional<Number> &number) const {
        number = from.number<Number>(type);
    }

    void operator()(int type, Uuid &uuid) const {
        const auto bytes = from.bytes(type);
        if (bytes && bytes->size() != Uuid::size) {
            from.report(type, fmt::format("has {} bytes, not {}", bytes->size(), Uuid::size));
        } else if (bytes) {
            std::array<std::uint8_t, Uuid::size> copy{};
            std::copy(bytes->begin(), bytes->end(), copy.begin());
            uuid = Uuid(copy);
        }
    }

    void operator()(int type, std::optional<Uuid> &uuid) const {
        Uuid there;
        (*this)(type, there);
        if (!there.is_nil()) {
            uuid = there;
        }
    }

    void operator()(int type, SocketAddress &address) const {
        if (const auto bytes = from.bytes(type)) {
            const auto there = SocketAddress::from_bytes(*bytes);
            if (!there) {
                from.report(type, "is no IP address");
            }
            address = there.value_or(SocketAddress());
        }
    }

    void operator()(int type, std::optional<Histogram> &histogram) const {
        const auto bytes = from.bytes(type);
        if (bytes && bytes->size() != sizeof(Histogram)) {
            from.report(type,
                        fmt::format("has {} bytes, not {}", bytes->size(), sizeof(Histogram)));
        } else if (bytes) {
            std::memcpy(histogram.emplace().data(), bytes->data(), sizeof(Histogram));
        }
    }

    // Counters: the type of an attribute in the nest is its index in the array.
    template <std::size_t size>
    void operator()(int type, std::array<std::uint64_t, size> &counters) const {
        if (const auto nest = from.bytes(type)) {
            const Attributes inner(*nest);
            for (std::size_t i = first_counter; i < size; i++) {
                counters.at(i) = inner.u64(static_cast<int>(i)).value_or(0);
            }
            report_inner(type, inner);
        }
    }

    template <typename Nested> void operator()(int type, std::vector<Nested> &nested) const {
        for (const auto &nest : from.all(type)) {
            const Attributes inner(nest);
            each_attribute(nested.emplace_back(), Reader{inner});
            report_inner(type, inner);
        }
    }

    void report_inner(int type, const Attributes &inner) const {
        if (!inner.fault().empty()) {
            from.report(type, inner.fault());
        }
    }
};

// Writes members of a message; a member that was not given is left out.
struct Writer {
    AttributeWriter &to;

    void operator()(int type, bool flag) const {
        if (flag) {
            to.flag(type);
        }
    }

    void operator()(int type, const std::string &text) const {
        if (!text.empty()) {
            to.text(type, text);
        }
    }

    void operator()(int type, Backend backend) const {
        to.u8(type, static_cast<std::uint8_t>(backend));
    }

    void operator()(int type, std::uint32_t number) const {
        if (number != 0) {
            to.u32(type, number);
        }
    }

    template <std::integral Number>
    void operator()(int type, const std::optional<Number> &number) const {
        if (number) {
            to.number(type, *number);
        }
    }

    void operator()(int type, const std::optional<Uuid> &uuid) const {
        if (uuid) {
            to.bytes(type, uuid->bytes());
        }
    }

    void operator()(int type, const Uuid &uuid) const { to.bytes(type, uuid.bytes()); }
    void operator()(int type, const SocketAddress &address) const {
        if (!address.empty()) {
            to.bytes(type, address.bytes());
        }
    }

    template <typename Nested> void operator()(int type, const std::vector<Nested> &nested) const {
        for (const Nested &each : nested) {
            AttributeWriter inner;
            each_attribute(each, Writer{inner});
            to.nest(type, inner);
        }
    }

    void operator()(int type, const Secret &key) const {
        if (!key.empty()) {
            to.bytes(type, key.bytes());
        }
    }
};

std::optional<Prefix> prefix_of(const Attributes &from) {
    Prefix prefix;
    prefix.family = from.u8(CW_A_FAMILY).value_or(0);
    const auto length = from.u8(CW_A_PREFIX_LEN);
    prefix.length = length.value_or(0);
    const auto bytes = from.bytes(CW_A_PREFIX);
    // A missing length must not be read as 0, which means all addresses.
    if ((prefix.family != AF_INET && prefix.family != AF_INET6) || !length || !bytes ||
        !from.fault().empty() || bytes->size() != prefix.address_size() ||
        prefix.length > prefix.address_size() * 8) {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), prefix.bytes.begin());
    return prefix;
}

template <typename Message> Message read(const Attributes &from) {
    Message message;
    each_attribute(message, Reader{from});
    return message;
}

} // namespace

void encode_network(AttributeWriter &to, const Prefix &network) {
    to.u8(CW_A_FAMILY, static_cast<std::uint8_t>(network.family));
    to.bytes(CW_A_PREFIX, network.address());
    to.u8(CW_A_PREFIX_LEN, network.length);
}

namespace {

void encode_allowed(AttributeWriter &to, const ExportSettings &settings) {
    for (const Prefix &prefix : settings.allow) {
        AttributeWriter inner;
        encode_network(inner, prefix);
        to.nest(CW_A_ALLOW, inner);
    }
}

// @over_tcp: those that clients reach over TCP only.
void encode_addresses(AttributeWriter &to, const ExportSettings &settings,
                      const std::vector<SocketAddress> &over_tcp) {
    for (const SocketAddress &address : settings.addresses) {
        AttributeWriter inner;
        inner.bytes(CW_A_ADDRESS, address.bytes());
        if (std::find(over_tcp.begin(), over_tcp.end(), address) != over_tcp.end()) {
            inner.u8(CW_A_TRANSPORT, CW_TRANSPORT_TCP);
        }
        to.nest(CW_A_EXPORT_ADDRESS, inner);
    }
}

void encode_flag(AttributeWriter &to, int attribute, bool set) {
    if (set) {
        to.flag(attribute);
    }
}

} // namespace

AttributeWriter encode(const ExportUpdate &update) {
    const ExportSettings &settings = update.settings;
    AttributeWriter to;
    to.text(CW_A_NAME, settings.name);
    to.u32(CW_A_CHANGE, update.change);
    if ((update.change & CW_CHANGE_ALLOW) != 0) {
        encode_allowed(to, settings);
    }
    if ((update.change & CW_CHANGE_ADDRESSES) != 0) {
        encode_addresses(to, settings, update.over_tcp);
    }
    encode_flag(to, CW_A_TCP, (update.change & CW_CHANGE_TCP) != 0 && settings.tcp);
    encode_flag(to, CW_A_READ_ONLY,
                (update.change & CW_CHANGE_READ_ONLY) != 0 && settings.read_only);
    if ((update.change & CW_CHANGE_TAKEOVER_AFTER) != 0) {
        to.u32(CW_A_TAKEOVER_AFTER, settings.takeover_after);
    }
    Writer{to}(CW_A_KEY, update.key);
    encode_flag(to, CW_A_FORCE, update.force);
    return to;
}

AttributeWriter encode(const ExportRequest &request) {
    const ExportSettings &settings = request.settings;
    AttributeWriter to;
    const Writer write{to};
    each_attribute(settings, write);
    if (settings.backend == Backend::ram) {
        to.u64(CW_A_SIZE, settings.size);
    } else {
        to.text(CW_A_PATH, settings.path);
    }
    encode_allowed(to, settings);
    encode_addresses(to, settings, request.over_tcp);
    write(CW_A_KEY, request.key);
    write(CW_A_LEDGER_FOLDER, request.ledger_folder);
    return to;
}

AttributeWriter encode(const std::string &name, const Uuid &host) {
    AttributeWriter to;
    to.text(CW_A_NAME, name);
    to.bytes(CW_A_HOST, host.bytes());
    return to;
}

AttributeWriter encode(const NfsRule &rule) {
    AttributeWriter to;
    encode_network(to, rule.network);
    for (const SocketAddress &from : rule.from) {
        to.bytes(CW_A_SOURCE, from.bytes());
    }
    return to;
}

AttributeWriter encode(const AttachRequest &request) {
    AttributeWriter to;
    each_attribute(request, Writer{to});
    return to;
}

AttributeWriter encode(const AttachmentUpdate &change) {
    AttributeWriter to;
    each_attribute(change, Writer{to});
    return to;
}

AttributeWriter encode(const PathRequest &request) {
    AttributeWriter to;
    each_attribute(request, Writer{to});
    return to;
}

template <typename Message> Result<Message> decode(const Attributes &from) {
    return unless_faulty(from, read<Message>(from));
}

template Result<OwnerInfo> decode(const Attributes &);
template Result<ServerInfo> decode(const Attributes &);
template Result<SessionInfo> decode(const Attributes &);
template Result<StatInfo> decode(const Attributes &);
template Result<NfsConnection> decode(const Attributes &);
template Result<Event> decode(const Attributes &);

template <> Result<ExportInfo> decode(const Attributes &from) {
    auto info = read<ExportInfo>(from);
    ExportSettings &settings = info.settings;
    each_attribute(settings, Reader{from});
    for (const auto &nest : from.all(CW_A_ALLOW)) {
        if (const auto prefix = prefix_of(Attributes(nest))) {
            settings.allow.push_back(*prefix);
        } else {
            from.report(CW_A_ALLOW, "is no network");
        }
    }
    for (const auto &nest : from.all(CW_A_EXPORT_ADDRESS)) {
        const Attributes inner(nest);
        const auto bytes = inner.bytes(CW_A_ADDRESS);
        const auto address = bytes ? SocketAddress::from_bytes(*bytes) : std::nullopt;
        if (address) {
            settings.addresses.push_back(*address);
        } else {
            from.report(CW_A_EXPORT_ADDRESS, "is no address");
        }
    }
    info.ending = from.u8(CW_A_STATE).value_or(0) == CW_STATE_CLOSING;
    info.ending_for = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::nanoseconds(from.u64(CW_A_SINCE).value_or(0)));
    return unless_faulty(from, std::move(info));
}

template <> Result<AttachmentInfo> decode(const Attributes &from) {
    AttachmentInfo info;
    info.fast_fail = CW_FAST_FAIL_OFF; // a module that has no such attribute
    each_attribute(info, Reader{from});
    return unless_faulty(from, std::move(info));
}

template <> Result<NfsRule> decode(const Attributes &from) {
    NfsRule rule;
    if (const auto network = prefix_of(from)) {
        rule.network = *network;
    } else {
        from.report(CW_A_PREFIX, "is no network");
    }
    for (const auto &bytes : from.all(CW_A_SOURCE)) {
        if (const auto address = SocketAddress::from_bytes(bytes)) {
            rule.from.push_back(*address);
        } else {
            from.report(CW_A_SOURCE, "is no IP address");
        }
    }
    return unless_faulty(from, std::move(rule));
}

Result<Uuid> decode_host(const Attributes &from) {
    Uuid host;
    if (!from.has(CW_A_HOST)) {
        from.report(CW_A_HOST, "is missing");
    }
    Reader{from}(CW_A_HOST, host);
    return unless_faulty(from, host);
}

template <typename Nested> Result<std::vector<Nested>> decode_exports(const Attributes &from) {
    std::vector<Nested> found;
    Reader{from}(CW_A_EXPORT, found);
    return unless_faulty(from, std::move(found));
}

template Result<std::vector<StopReport::Export>> decode_exports(const Attributes &);
template Result<std::vector<DiscoveredExport>> decode_exports(const Attributes &);

} // namespace causeway
