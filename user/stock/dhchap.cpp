// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/dhchap.h"

#include "base/durable_file.h"
#include "config/key_file.h"
#include "host/rdma_devices.h"
#include "stock/exporting.h"
#include "stock/target.h"
#include "stock/transport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace causeway {

namespace {

constexpr std::string_view maker = "nvme gen-dhchap-key";
// The texts of secrets of 32 and of 64 bytes.
constexpr KeyForm dhchap_form{59, 103,
                              "a secret of NVMe has the form DHHC-1:HH:BASE64:, as nvme-cli prints "
                              "it; a password does not do",
                              maker};

constexpr std::string_view secret_start = "DHHC-1:";
constexpr std::size_t crc_length = 4;
constexpr std::size_t base64_start = 10; // after "DHHC-1:HH:"

// The length of the secret for each hash: none (any length), SHA-256, SHA-384, SHA-512.
constexpr std::array<std::size_t, 4> secret_lengths = {0, 32, 48, 64};

std::optional<unsigned int> base64_digit(char c) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t place = digits.find(c);
    return place == std::string_view::npos ? std::nullopt
                                           : std::optional(static_cast<unsigned int>(place));
}

// Returns none unless the text is base64 with its padding (RFC 4648, 4).
std::optional<Secret> base64_decoded(std::string_view text) {
    const std::size_t padding = text.size() - std::min(text.size(), text.find_last_not_of('=') + 1);
    if (text.size() % 4 != 0 || padding > 2) {
        return std::nullopt;
    }
    text.remove_suffix(padding);
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size()); // so that no copy of the bytes is left in freed memory
    std::uint32_t bits = 0;
    unsigned int count = 0;
    for (const char c : text) {
        const auto digit = base64_digit(c);
        if (!digit) {
            explicit_bzero(bytes.data(), bytes.size());
            return std::nullopt;
        }
        bits = bits << 6U | *digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::uint8_t>(bits >> count));
        }
    }
    return Secret(std::move(bytes));
}

// The CRC-32 of IEEE 802.3, as zlib computes it.
std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
    constexpr std::uint32_t polynomial = 0xedb88320U;
    std::uint32_t crc = 0xffffffffU;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1U) != 0 ? crc >> 1U ^ polynomial : crc >> 1U;
        }
    }
    return ~crc;
}

Error bad_secret(std::string_view why) {
    return Error{ExitCode::bad_config, std::string(why),
                 fmt::format("give a file with what this prints: {}", maker)};
}

std::string_view characters_of(const Secret &secret) {
    return {reinterpret_cast<const char *>(secret.bytes().data()), secret.bytes().size()};
}

// The name of a module in a path such as "kernel/drivers/nvme/target/nvmet.ko.xz". The kernel does
// not distinguish '-' and '_'.
std::string module_of(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
    std::string name(path.substr(0, path.find(".ko")));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

bool is_authentication(const std::string &module) {
    return module == "nvme_common" || module == "nvme_auth"; // before and since Linux 6.7
}

// Calls @take for each word of the text, until it returns true. Returns whether it did.
template <typename Take> bool any_word(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::size_t start = std::min(text.find_first_not_of(" \n"), text.size());
        text.remove_prefix(start);
        const std::string_view word = text.substr(0, text.find_first_of(" \n"));
        text.remove_prefix(word.size());
        if (!word.empty() && take(word)) {
            return true;
        }
    }
    return false;
}

bool names_authentication(std::string_view text) {
    return any_word(text, [](std::string_view word) { return is_authentication(module_of(word)); });
}

Error no_authentication(NvmeSide side) {
    return Error{
        ExitCode::unavailable,
        fmt::format("the kernel of this machine has no DH-HMAC-CHAP for NVMe: it was built without "
                    "{}",
                    side == NvmeSide::target ? "CONFIG_NVME_TARGET_AUTH"
                                             : "CONFIG_NVME_AUTH (CONFIG_NVME_HOST_AUTH since "
                                               "Linux 6.7)"),
        "use a kernel that has it, which Linux 6.1 of Debian 12 has not; or --via iser or iscsi "
        "with --chap-user; or leave out --chap-key-file"};
}

// The hosts of nvmet, if there are any, show what it supports.
std::optional<bool> shown_by_hosts(KernelFiles &files) {
    const std::string folder = fmt::format("{}/hosts", nvmet_folder);
    const auto hosts = files.list(folder);
    if (hosts.empty()) {
        return std::nullopt;
    }
    return exists(files, fmt::format("{}/{}/dhchap_key", folder, hosts.front()));
}

std::string secret_phrase(const Chap &chap) {
    return chap.is_set() ? "with the secret: " + chap_phrase(chap) : "without a secret";
}

Result<std::string> host_name(World &world) {
    const auto place = world.places.of_others("etc/nvme/hostnqn");
    const auto text = TRY(read_small_file(place));
    const std::string name = text ? text->substr(0, text->find_first_of(" \n")) : std::string();
    auto parsed = parse_nqn(name);
    if (!parsed) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} has no NQN, by which the server knows the secret of this host",
                                 place.string()),
                     "nvme gen-hostnqn > /etc/nvme/hostnqn; uuidgen > /etc/nvme/hostid"};
    }
    return parsed;
}

// A comma ends a value of /dev/nvme-fabrics, and another machine chooses the name of the target.
Result<void> check_no_comma(const std::string &name) {
    return name.find(',') == std::string::npos
               ? Result<void>()
               : Error{ExitCode::usage,
                       fmt::format("the kernel takes no NQN with a comma: '{}'", name)};
}

// Text that is wiped in the end. The capacity is enough for all of it, so that it is never copied.
class WipedText {
  public:
    WipedText() { text_.reserve(capacity); }
    WipedText(const WipedText &) = delete;
    WipedText &operator=(const WipedText &) = delete;
    ~WipedText() { explicit_bzero(text_.data(), text_.size()); }

    void add(std::string_view more) { text_.append(more); }
    const std::string &text() const { return text_; }

  private:
    static constexpr std::size_t capacity = 2048; // two NQNs, two addresses and two secrets
    std::string text_;
};

Result<void> add_secret(WipedText &options, std::string_view key, const std::string &file) {
    const Secret secret = TRY(read_dhchap_secret(file));
    options.add(key);
    options.add(characters_of(secret));
    return {};
}

// Returns the UUID that identifies this host along with its NQN. The kernel refuses an NQN with two
// host IDs and a host ID with two NQNs (since Linux 6.6, nvmf_host_add()), and chooses a random one
// if it is given none.
Result<Uuid> host_id(World &world, const std::string &nqn) {
    const auto place = world.places.of_others("etc/nvme/hostid");
    const auto text = TRY(read_small_file(place));
    constexpr std::string_view before_id = ":uuid:";
    const std::size_t start = nqn.rfind(before_id);
    const std::string typed = text ? text->substr(0, text->find_first_of(" \n"))
                              : start == std::string::npos ? std::string()
                                                           : nqn.substr(start + before_id.size());
    const auto id = Uuid::parse(typed);
    if (!id) {
        return Error{ExitCode::unavailable,
                     text ? fmt::format("{} has no UUID", place.string())
                          : fmt::format("there is no {}, and the NQN of this host, {}, has no UUID "
                                        "in its place",
                                        place.string(), nqn),
                     "uuidgen > /etc/nvme/hostid; or for a new NQN: nvme gen-hostnqn > "
                     "/etc/nvme/hostnqn"};
    }
    return *id;
}

// Returns the lines of the kernel's log after the mark. An error if the log cannot be read or has
// no such mark.
Result<std::string> log_since(World &world, const std::string &mark) {
    const auto end = TRY(world.processes.run({"dmesg"}, std::chrono::seconds(10)));
    if (!end.good()) {
        return Error{ExitCode::unavailable,
                     fmt::format("dmesg: {}", end.timed_out ? "no answer" : end.last_words())};
    }
    const std::size_t place = mark.empty() ? std::string::npos : end.out.rfind(mark);
    if (place == std::string::npos) {
        return Error{ExitCode::unavailable, "the kernel's log does not have what was written to "
                                            "/dev/kmsg"};
    }
    return end.out.substr(place + mark.size());
}

// Writes a line to the kernel's log that nothing else has, and returns it.
Result<std::string> new_mark(World &world) {
    constexpr std::string_view informative = "<6>";
    const std::string mark = fmt::format("causeway: login {}", Uuid::random().text());
    TRY(world.files.write("/dev/kmsg", fmt::format("{}{}\n", informative, mark)));
    TRY(log_since(world, mark));
    return mark;
}

Error no_proof_to_see(const Error &why) {
    return Error{ExitCode::unavailable,
                 fmt::format("it cannot be seen whether the server proves the secret of "
                             "--chap-mutual-key-file, because only the kernel's log says so: {}",
                             why.what),
                 "let root read the log (dmesg) and write to it (sysctl kernel.printk_devkmsg=on), "
                 "or leave out --chap-mutual-key-file"};
}

} // namespace

Result<void> check_dhchap_secret(std::string_view text) {
    if (text.substr(0, secret_start.size()) != secret_start || text.size() <= base64_start ||
        text[base64_start - 1] != ':') {
        return bad_secret("has no secret of NVMe, which starts with DHHC-1: and the number of a "
                          "hash: a password does not do");
    }
    const std::string_view number = text.substr(secret_start.size(), 2);
    if (number[0] != '0' || number[1] < '0' || number[1] > '3') {
        return bad_secret("has a secret of NVMe with an unknown hash: after DHHC-1: stands 00, 01, "
                          "02 or 03");
    }
    if (text.back() != ':') {
        return bad_secret("has a secret of NVMe that was cut off: its last character is ':'");
    }
    const auto bytes = base64_decoded(text.substr(base64_start, text.size() - base64_start - 1));
    if (!bytes || bytes->bytes().size() <= crc_length) {
        return bad_secret("has a secret of NVMe that is not written in base64");
    }
    const auto secret = bytes->bytes().first(bytes->bytes().size() - crc_length);
    const std::size_t wanted = secret_lengths.at(static_cast<std::size_t>(number[1] - '0'));
    const bool fits = wanted != 0 ? secret.size() == wanted
                                  : std::find(secret_lengths.begin() + 1, secret_lengths.end(),
                                              secret.size()) != secret_lengths.end();
    if (!fits) {
        return bad_secret(fmt::format(
            "has a secret of NVMe of {} bytes, and with hash {} it has {}", secret.size(), number,
            wanted == 0 ? "32, 48 or 64" : fmt::format("{}", wanted)));
    }
    std::uint32_t crc = 0;
    for (std::size_t i = crc_length; i-- > 0;) {
        crc = crc << 8U | bytes->bytes()[secret.size() + i];
    }
    if (crc != crc32(secret)) {
        return bad_secret("has a secret of NVMe with a wrong checksum: a character was changed or "
                          "lost");
    }
    return {};
}

Result<Secret> read_dhchap_secret(const std::string &file) {
    Secret secret = TRY(read_key(file, dhchap_form));
    if (const auto checked = check_dhchap_secret(characters_of(secret)); !checked) {
        Error error = checked.error();
        error.what = fmt::format("key file {} {}", file, error.what);
        return error;
    }
    return secret;
}

std::vector<ConfigStep> dhchap_steps(const std::string &folder, const Chap &chap) {
    std::vector<ConfigStep> steps;
    if (chap.is_set()) {
        steps.push_back(config_dhchap(folder + "/dhchap_key", chap.key_file));
    }
    if (chap.is_mutual()) {
        steps.push_back(config_dhchap(folder + "/dhchap_ctrl_key", chap.mutual_key_file));
    }
    return steps;
}

std::optional<bool> authenticates(std::string_view dependencies, std::string_view built_in,
                                  std::string_view module) {
    const bool carrier_is_built_in = names_authentication(built_in);
    while (!dependencies.empty()) {
        const std::string_view line = dependencies.substr(0, dependencies.find('\n'));
        dependencies.remove_prefix(std::min(dependencies.size(), line.size() + 1));
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && module_of(line.substr(0, colon)) == module) {
            return carrier_is_built_in || names_authentication(line.substr(colon + 1));
        }
    }
    return any_word(built_in, [&](std::string_view word) { return module_of(word) == module; })
               ? std::optional(carrier_is_built_in)
               : std::nullopt;
}

Result<void> check_dhchap_kernel(KernelFiles &files, NvmeSide side) {
    const std::string folder =
        fmt::format("/lib/modules/{}", sysfs_text(files, "/proc/sys/kernel/osrelease"));
    auto has = side == NvmeSide::target ? shown_by_hosts(files) : std::nullopt;
    if (!has) {
        has = authenticates(text_of(files, folder + "/modules.dep"),
                            text_of(files, folder + "/modules.builtin"),
                            side == NvmeSide::target ? "nvmet" : "nvme_core");
    }
    return has.value_or(true) ? Result<void>() : no_authentication(side);
}

Result<void> check_one_secret(World &world, const StockExport &wanted) {
    std::vector<std::string> warnings;
    std::vector<std::string> ours;
    if (stock_transport(wanted.via).row().chap != ChapForm::nvme) {
        return {};
    }
    for (const StockExportState &other : TRY(stock_exports(world, warnings))) {
        const StockExport &settings = other.settings;
        if (stock_transport(settings.via).row().chap != ChapForm::nvme) {
            continue;
        }
        for (const std::string &host : settings.initiators) {
            ours.push_back(host);
            const bool admitted = std::find(wanted.initiators.begin(), wanted.initiators.end(),
                                            host) != wanted.initiators.end();
            if (settings.name != wanted.name && admitted && settings.chap != wanted.chap) {
                return Error{
                    ExitCode::failed,
                    fmt::format("nvmet keeps one secret for a host, for all its exports, and the "
                                "export '{}' admits {} {}",
                                settings.name, host, secret_phrase(settings.chap)),
                    settings.chap.is_set()
                        ? "give the same --chap-key-file; for a new secret, write it to that file "
                          "first"
                        : "leave out --chap-key-file, or remove that export and add it with this "
                          "secret"};
            }
        }
    }
    for (const std::string &host :
         wanted.chap.is_set() ? wanted.initiators : std::vector<std::string>()) {
        if (std::find(ours.begin(), ours.end(), host) == ours.end() &&
            world.files.has_folder(fmt::format("{}/hosts/{}", nvmet_folder, host))) {
            return Error{ExitCode::failed,
                         fmt::format("nvmet keeps one secret for a host, and another program made "
                                     "the host {}",
                                     host),
                         "remove the host with that program, or leave out --chap-key-file"};
        }
    }
    return {};
}

Result<void> connect_with_secret(World &world, const StockAttachment &settings,
                                 const char *transport, const SocketAddress &portal,
                                 const std::string &mark) {
    const std::string host = TRY(host_name(world));
    const Uuid identity = TRY(host_id(world, host));
    TRY(check_no_comma(host));
    TRY(check_no_comma(settings.target));
    WipedText options;
    options.add(fmt::format("nqn={},transport={},traddr={},trsvcid={},hostnqn={},hostid={}",
                            settings.target, transport, portal.host_text(), portal.port(), host,
                            identity.text()));
    TRY(add_secret(options, ",dhchap_secret=", settings.chap.key_file));
    if (settings.chap.is_mutual()) {
        TRY(add_secret(options, ",dhchap_ctrl_secret=", settings.chap.mutual_key_file));
    }
    const auto done = world.files.write("/dev/nvme-fabrics", options.text());
    if (done) {
        return {};
    }
    const auto log = log_since(world, mark);
    if (log && log->find("authentication failed") != std::string::npos) {
        return Error{ExitCode::no_permission,
                     fmt::format("the login at {} failed: the server and this host have different "
                                 "secrets, or the server has none for {}",
                                 portal.text(), host),
                     "see on the server: causeway export list; and here: dmesg | tail"};
    }
    const int number = done.error().system_error;
    return Error{ExitCode::try_again,
                 fmt::format("NVMe at {}: {}", portal.text(),
                             number != 0 ? std::strerror(number) : done.error().what),
                 "the kernel's log says more: dmesg | tail"};
}

Result<void> check_controller(World &world, const StockAttachment &settings,
                              const std::string &controller, const std::string &mark) {
    for (const char *secret : {"dhchap_secret", "dhchap_ctrl_secret"}) {
        const std::string folder = fmt::format("/sys/class/nvme/{}", controller);
        if (exists(world.files, fmt::format("{}/{}", folder, secret))) {
            TRY(close_to_others(world, fmt::format("{}/{}", folder, secret)));
        }
    }
    const std::string proof = fmt::format("nvme {}: qid 0: controller authenticated", controller);
    if (!settings.chap.is_mutual()) {
        return {};
    }
    const auto log = log_since(world, mark);
    if (!log) {
        return no_proof_to_see(log.error());
    }
    if (log->find(proof) != std::string::npos) {
        return {};
    }
    return Error{ExitCode::no_permission,
                 "the server did not prove that it has the secret of --chap-mutual-key-file: the "
                 "kernel's log has no line of it",
                 "give the export the same --chap-mutual-key-file on the server, or leave the "
                 "option out here"};
}

Result<std::string> mark_log(World &world, const Chap &chap) {
    auto mark = new_mark(world);
    if (!mark) {
        return chap.is_mutual() ? Result<std::string>(no_proof_to_see(mark.error()))
                                : std::string();
    }
    return mark;
}

} // namespace causeway
