// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/refusal.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace causeway {

namespace {

struct Mend {
    Request request;
    int number;
    std::string_view deed;
};

constexpr std::array mends = {
    Mend{Request::attach, ENOENT, "see what the server exports: causeway discover SERVER"},
    Mend{Request::attach, EACCES,
         "compare with the server: \"causeway export list\" there shows whether the export has a "
         "key "
         "(--key-file FILE) and which addresses it allows"},
    Mend{Request::attach, EPERM,
         "to readmit a host, run on the server: causeway export readmit NAME --host UUID"},
    Mend{Request::attach, EBUSY,
         "on the server, \"causeway export list\" shows who owns it, and \"causeway export evict\" "
         "takes it from a machine that is away for good"},
    Mend{Request::attach, ENODEV,
         "see \"rdma link show\"; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type rxe netdev "
         "eth0"},
    Mend{
        Request::attach, EADDRNOTAVAIL,
        "no RDMA device reaches that address: see \"rdma link show\" and \"ip route get ADDRESS\""},
    Mend{Request::attach, ECONNREFUSED,
         "on the server, see whether it exports anything: causeway export list"},
    Mend{Request::attach, ETIMEDOUT,
         "see whether the server is up and answers: ping SERVER; --background keeps trying"},
    Mend{Request::attach, EHOSTUNREACH,
         "see whether there is a way to it: ip route get ADDRESS; --background keeps trying"},
    Mend{Request::attach, ENETUNREACH,
         "see whether there is a way to it: ip route get ADDRESS; --background keeps trying"},
    Mend{Request::discover, ECONNREFUSED,
         "on the server, see whether it exports anything: causeway export list"},
    Mend{Request::discover, ETIMEDOUT, "see whether the server is up and answers: ping SERVER"},
    Mend{Request::discover, ENODEV,
         "see \"rdma link show\"; Soft-RoCE on an ordinary NIC: rdma link add rxe0 type rxe netdev "
         "eth0"},
    Mend{Request::detach, EBUSY,
         "unmount it or stop what has it open (lsof, lsblk), or give up its I/O with --force"},
    Mend{Request::add_export, EBUSY,
         "see what holds it: lsblk, findmnt, cat /proc/mdstat, causeway export list; what is "
         "exported must not be in use here"},
    Mend{Request::add_export, ENOMEM,
         "export less memory, or free some: \"free -h\" shows how much is available"},
    Mend{Request::add_export, EADDRINUSE,
         "another program listens on port 4793: rdma resource show cm_id"},
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

std::string_view deed_for(Request request, int number) {
    for (const Mend &mend : mends) {
        if (mend.request == request && mend.number == number) {
            return mend.deed;
        }
    }
    return {};
}

} // namespace

Error refusal(Request request, int number, const std::string &sentence) {
    Error error{code_of(number), sentence, std::string(deed_for(request, number)), number};
    if (!sentence.empty()) {
        return error;
    }
    if (number == EPERM) {
        error.what = "the kernel lets only an administrator do this (CAP_SYS_ADMIN)";
        error.mend = "run the command as root";
    } else if (number == EOPNOTSUPP) {
        error.what = "the kernel module in charge is not loaded";
        error.mend =
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
