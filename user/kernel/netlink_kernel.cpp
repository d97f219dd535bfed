// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/netlink_kernel.h"

#include "kernel/codec.h"
#include "kernel/netlink_socket.h"

#include <cerrno>
#include <deque>

namespace causeway {

namespace {

Result<void> ignore(const Attributes & /*answer*/) {
    return {};
}

// Opens a socket for each request, so that a late answer to one cannot be taken for an answer to
// the next.
Result<void> call(Request request, std::uint8_t command, const AttributeWriter &attributes,
                  const NetlinkSocket::Take &take = ignore) {
    auto socket = TRY(NetlinkSocket::open());
    if (!socket) {
        return refusal(request, EOPNOTSUPP, "");
    }
    return socket->call(request, command, attributes, take);
}

template <typename T> Result<std::vector<T>> list(std::uint8_t command) {
    std::vector<T> all;
    auto socket = TRY(NetlinkSocket::open());
    if (!socket) {
        return all;
    }
    const auto take = [&](const Attributes &from) -> Result<void> {
        auto one = TRY(decode<T>(from));
        all.push_back(std::move(one));
        return {};
    };
    TRY(socket->dump(
        command, [&] { all.clear(); }, take));
    return all;
}

AttributeWriter disk_name(const std::string &server, const std::string &name) {
    AttributeWriter to;
    to.text(CW_A_SERVER, server);
    to.text(CW_A_NAME, name);
    return to;
}

// Returns an error for an answer without a host, which does not show what the kernel did.
Result<Uuid> call_for_host(std::uint8_t command, const std::string &name, const Uuid &wanted) {
    std::optional<Uuid> host;
    TRY(call(Request::owner, command, encode(name, wanted),
             [&](const Attributes &from) -> Result<void> {
                 auto told = decode_host(from);
                 if (!told) {
                     return told.error();
                 }
                 host = *told;
                 return {};
             }));
    if (!host) {
        return Error{ExitCode::failed, "the kernel did not say which host it was"};
    }
    return *host;
}

class NetlinkEvents final : public EventStream {
  public:
    explicit NetlinkEvents(NetlinkSocket socket) : socket_(std::move(socket)) {}

    Result<std::optional<Event>> next(std::optional<std::chrono::milliseconds> limit) override {
        const auto deadline =
            std::chrono::steady_clock::now() + limit.value_or(std::chrono::milliseconds());
        while (waiting_.empty()) {
            auto left = limit;
            if (limit) {
                left = std::chrono::ceil<std::chrono::milliseconds>(
                    deadline - std::chrono::steady_clock::now());
                if (left->count() < 0) {
                    return std::optional<Event>();
                }
            }
            auto received =
                TRY(socket_.receive(left, [this](const Attributes &from) { return keep(from); }));
            if (received == NetlinkSocket::Received::overrun) {
                Event lost;
                lost.lost = 1;
                waiting_.push_back(lost);
            }
            if (received == NetlinkSocket::Received::nothing && limit && left->count() == 0) {
                return std::optional<Event>();
            }
        }
        Event first = std::move(waiting_.front());
        waiting_.pop_front();
        return std::optional(std::move(first));
    }

  private:
    Result<void> keep(const Attributes &from) {
        auto event = TRY(decode<Event>(from));
        waiting_.push_back(std::move(event));
        return {};
    }

    NetlinkSocket socket_;
    std::deque<Event> waiting_;
};

} // namespace

Result<void> NetlinkKernel::add_export(const ExportRequest &request) {
    return call(Request::add_export, CW_C_EXPORT_ADD, encode(request));
}

Result<std::uint32_t> NetlinkKernel::set_export(const ExportUpdate &update) {
    std::uint32_t ended = 0;
    TRY(call(Request::set, CW_C_EXPORT_SET, encode(update),
             [&](const Attributes &from) -> Result<void> {
                 ended = from.u32(CW_A_SESSIONS).value_or(0);
                 return {};
             }));
    return ended;
}

Result<std::string> NetlinkKernel::remove_export(const std::string &name, bool force) {
    AttributeWriter to;
    to.text(CW_A_NAME, name);
    if (force) {
        to.flag(CW_A_FORCE);
    }
    std::string reason;
    TRY(call(Request::remove_export, CW_C_EXPORT_REMOVE, to,
             [&](const Attributes &from) -> Result<void> {
                 reason = from.text(CW_A_TEXT);
                 return {};
             }));
    return reason;
}

Result<std::vector<ExportInfo>> NetlinkKernel::exports() {
    return list<ExportInfo>(CW_C_EXPORT_GET);
}

Result<std::optional<Uuid>> NetlinkKernel::evict_host(const std::string &name, const Uuid &host) {
    auto evicted = call_for_host(CW_C_EXPORT_EVICT, name, host);
    if (!evicted && evicted.error().system_error == EINPROGRESS) {
        return std::optional<Uuid>();
    }
    return evicted ? std::optional(*evicted) : Result<std::optional<Uuid>>(evicted.error());
}

Result<Uuid> NetlinkKernel::readmit_host(const std::string &name, const Uuid &host) {
    return call_for_host(CW_C_EXPORT_READMIT, name, host);
}

Result<std::vector<OwnerInfo>> NetlinkKernel::owners() {
    return list<OwnerInfo>(CW_C_OWNER_GET);
}

Result<std::optional<ServerInfo>> NetlinkKernel::server() {
    std::optional<ServerInfo> info;
    const auto take = [&](const Attributes &from) -> Result<void> {
        info = TRY(decode<ServerInfo>(from));
        return {};
    };
    auto told = call(Request::show, CW_C_SERVER_GET, AttributeWriter(), take);
    if (!told && told.error().system_error != ENODEV && told.error().system_error != EOPNOTSUPP) {
        return told.error();
    }
    return info;
}

Result<void> NetlinkKernel::set_instance(const Uuid &instance) {
    AttributeWriter to;
    to.bytes(CW_A_INSTANCE, instance.bytes());
    return call(Request::add_export, CW_C_SERVER_SET, to);
}

Result<void> NetlinkKernel::set_port(std::uint16_t port) {
    AttributeWriter to;
    to.u16(CW_A_PORT, port);
    return call(Request::add_export, CW_C_SERVER_SET, to);
}

Result<StopReport> NetlinkKernel::stop_server() {
    StopReport report;
    report.clean = false;
    TRY(call(Request::stop, CW_C_SERVER_STOP, AttributeWriter(),
             [&](const Attributes &from) -> Result<void> {
                 report.clean = from.has(CW_A_CLEAN);
                 auto unflushed = decode_exports<StopReport::Export>(from);
                 if (!unflushed) {
                     return unflushed.error();
                 }
                 report.unflushed = std::move(*unflushed);
                 return {};
             }));
    return report;
}

Result<std::string> NetlinkKernel::attach(const AttachRequest &request) {
    std::string disk;
    TRY(call(Request::attach, CW_C_ATTACH, encode(request),
             [&](const Attributes &from) -> Result<void> {
                 disk = from.text(CW_A_DISK);
                 return {};
             }));
    return disk;
}

Result<std::string> NetlinkKernel::detach(const std::string &server, const std::string &name,
                                          bool force) {
    AttributeWriter to = disk_name(server, name);
    if (force) {
        to.flag(CW_A_FORCE);
    }
    std::string kept;
    TRY(call(Request::detach, CW_C_DETACH, to, [&](const Attributes &from) -> Result<void> {
        kept = from.text(CW_A_TEXT);
        return {};
    }));
    return kept;
}

Result<void> NetlinkKernel::set_attachment(const AttachmentUpdate &change) {
    return call(Request::set, CW_C_ATTACH_SET, encode(change));
}

Result<std::uint32_t> NetlinkKernel::add_path(const std::string &server, const std::string &name,
                                              const DiskPathAddresses &path) {
    const PathRequest request{server, name, {path}};
    std::uint32_t number = 0;
    TRY(call(Request::other, CW_C_PATH_ADD, encode(request),
             [&](const Attributes &from) -> Result<void> {
                 number = from.u32(CW_A_ID).value_or(0);
                 return {};
             }));
    return number;
}

Result<void> NetlinkKernel::remove_path(const std::string &server, const std::string &name,
                                        std::uint32_t number) {
    AttributeWriter to = disk_name(server, name);
    to.u32(CW_A_ID, number);
    return call(Request::other, CW_C_PATH_REMOVE, to);
}

Result<void> NetlinkKernel::acknowledge(const std::string &server, const std::string &name) {
    return call(Request::other, CW_C_ACKNOWLEDGE, disk_name(server, name));
}

Result<std::vector<AttachmentInfo>> NetlinkKernel::attachments() {
    return list<AttachmentInfo>(CW_C_ATTACHMENT_GET);
}

Result<std::vector<SessionInfo>> NetlinkKernel::sessions() {
    return list<SessionInfo>(CW_C_SESSION_GET);
}

Result<std::vector<StatInfo>> NetlinkKernel::stats() {
    return list<StatInfo>(CW_C_STAT_GET);
}

Result<std::vector<DiscoveredExport>> NetlinkKernel::discover(const std::string &server,
                                                              const DiskPathAddresses &end,
                                                              const std::string &name) {
    AttributeWriter to;
    to.text(CW_A_SERVER, server);
    to.bytes(CW_A_ADDRESS, end.address.bytes());
    to.u16(CW_A_PORT, end.address.port());
    if (end.transport) {
        to.u8(CW_A_TRANSPORT, *end.transport);
    }
    if (!name.empty()) {
        to.text(CW_A_NAME, name);
    }
    std::vector<DiscoveredExport> found;
    TRY(call(Request::discover, CW_C_DISCOVER, to, [&](const Attributes &from) -> Result<void> {
        auto some = decode_exports<DiscoveredExport>(from);
        if (!some) {
            return some.error();
        }
        found.insert(found.end(), some->begin(), some->end());
        return {};
    }));
    return found;
}

Result<std::vector<NfsConnection>> NetlinkKernel::nfs_connections() {
    return list<NfsConnection>(CW_C_NFS_GET);
}

Result<std::vector<NfsRule>> NetlinkKernel::nfs_rules() {
    return list<NfsRule>(CW_C_NFS_RULE_GET);
}

Result<void> NetlinkKernel::set_nfs_rule(const NfsRule &rule) {
    return call(Request::nfs_rule, CW_C_NFS_RULE_SET, encode(rule));
}

Result<void> NetlinkKernel::remove_nfs_rule(const Prefix &network) {
    AttributeWriter to;
    encode_network(to, network);
    return call(Request::nfs_rule, CW_C_NFS_RULE_REMOVE, to);
}

Result<std::unique_ptr<EventStream>> NetlinkKernel::subscribe() {
    auto socket = TRY(NetlinkSocket::open());
    if (!socket) {
        return Error{ExitCode::unavailable, "the kernel module causeway is not loaded",
                     "modprobe causeway"};
    }
    TRY(socket->subscribe());
    return std::unique_ptr<EventStream>(std::make_unique<NetlinkEvents>(*std::move(socket)));
}

} // namespace causeway
