// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/refusal.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace causeway {

namespace {

struct Fix {
    Request request;
    int number;
    std::string_view text;
};

constexpr std::array fixes = {
    Fix{Request::attach, ENOENT, "see what the server exports: causeway discover SERVER"},
    Fix{Request::attach, EACCES,
        "compare with the server: \"causeway export list\" there shows whether the export has a "
        "key "
        "(--key-file FILE) and which addresses it allows"},
    Fix{Request::attach, EPERM,
        "to readmit a host, run on the server: causeway export readmit NAME --host UUID"},
    Fix{Request::attach, EBUSY,
        "on the server, \"causeway export list\" shows who owns it, and \"causeway export evict\" "
        "takes it from a machine that is away for good"},
    Fix{Request::attach, ENODEV,
        "see \"rdma link show\"; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type rxe netdev "
        "eth0; without RDMA: --transport tcp"},
    Fix{Request::attach, EADDRNOTAVAIL,
        "no RDMA device reaches that address: see \"rdma link show\" and \"ip route get "
        "ADDRESS\"; without RDMA: --transport tcp"},
    Fix{Request::attach, ECONNREFUSED,
        "on the server, see whether it exports anything, and over TCP whether it does so with "
        "--tcp: causeway export list"},
    Fix{Request::attach, EOPNOTSUPP,
        "export the disk with --tcp on the server, or attach it by RDMA: --transport rdma"},
    Fix{Request::attach, ETIMEDOUT,
        "see whether the server is up and answers: ping SERVER; --background keeps trying"},
    Fix{Request::attach, EHOSTUNREACH,
        "see whether there is a way to it: ip route get ADDRESS; --background keeps trying"},
    Fix{Request::attach, ENETUNREACH,
        "see whether there is a way to it: ip route get ADDRESS; --background keeps trying"},
    Fix{Request::discover, ECONNREFUSED,
        "on the server, see whether it exports anything: causeway export list"},
    Fix{Request::discover, ETIMEDOUT, "see whether the server is up and answers: ping SERVER"},
    Fix{Request::discover, ENODEV,
        "see \"rdma link show\"; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type rxe netdev "
        "eth0; without RDMA: --transport tcp"},
    Fix{Request::detach, EBUSY,
        "unmount it or stop what has it open (lsof, lsblk), or give up its I/O with --force"},
    Fix{Request::add_export, EBUSY,
        "see what holds it: lsblk, findmnt, cat /proc/mdstat, causeway export list; what is "
        "exported must not be in use here"},
    Fix{Request::add_export, ENOMEM,
        "export less memory, or free some: \"free -h\" shows how much is available"},
    Fix{Request::add_export, EADDRINUSE,
        "another program listens on the port of the server, which \"causeway server show\" names, "
        "or "
        "over TCP on the port after it: rdma resource show cm_id; ss -ltnp"},
};

ExitCode code_of(int number) {
    switch (number) {
    case EPERM:
    case EACCES:
        return ExitCode::no_permission;
    case ENODEV:
    case ENXIO:
    case ENOENT:
    case EOPNOTSUPP:
    case EADDRNOTAVAIL:
        return ExitCode::unavailable;
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case ETIMEDOUT:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
        return ExitCode::try_again;
    default:
        return ExitCode::failed;
    }
}

// The texts with which the kernel refuses an attribute that a netlink family does not take. The
// family has the attributes of its module, so that module is older than this command.
bool is_of_unknown_attribute(int number, std::string_view sentence) {
    return number == EINVAL &&
           (sentence == "Unknown attribute type" || sentence == "Unsupported attribute");
}

std::string_view fix_for(Request request, int number) {
    for (const Fix &fix : fixes) {
        if (fix.request == request && fix.number == number) {
            return fix.text;
        }
    }
    return {};
}

} // namespace

Error refusal(Request request, int number, const std::string &sentence) {
    Error error{code_of(number), sentence, std::string(fix_for(request, number)), number};
    // The modules have reported what is to be set, so they are loaded.
    const bool lacks_set = request == Request::set && number == EOPNOTSUPP && sentence.empty();
    if (lacks_set || is_of_unknown_attribute(number, sentence)) {
        error.code = ExitCode::unavailable;
        error.what = lacks_set ? std::string("the loaded kernel modules are of an earlier version "
                                             "and cannot change settings of what is live")
                               : fmt::format("the loaded kernel modules are of an earlier version "
                                             "and do not know an option of this command ({})",
                                             sentence);
        error.fix = "reboot, or end NFS over RDMA here and load the modules of this version, which "
                    "ends all I/O of disks: causeway stop --all --force && modprobe -r "
                    "causeway_rpcrdma causeway_disk causeway_target && causeway restore";
        return error;
    }
    if (!sentence.empty()) {
        return error;
    }
    if (number == EPERM) {
        error.what = "the kernel lets only an administrator do this (CAP_SYS_ADMIN)";
        error.fix = "run the command as root";
    } else if (number == EOPNOTSUPP) {
        error.what = "the kernel module in charge is not loaded";
        error.fix =
            request == Request::add_export || request == Request::stop || request == Request::owner
                ? "modprobe causeway_target"
            : request == Request::nfs_rule ? "modprobe causeway_rpcrdma"
                                           : "modprobe causeway_disk";
    } else {
        error.what = std::string("the kernel refused: ") + std::strerror(number);
    }
    return error;
}

bool is_of_the_network(int number) {
    switch (number) {
    case ENODEV:
    case EADDRNOTAVAIL:
    case ETIMEDOUT:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
        return true;
    default:
        return false;
    }
}

} // namespace causeway
