// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/kinds.h"
#include "nfs/serving.h"
#include "nfs/transport.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *nfsd_unit = "nfs-server.service";

const ChangeKind kind_nfsd("nfsd", [](const Json &json) -> ChangePointer {
    ChangePointer conf;
    if (const Json &file = json.at("conf"); !file.is_null()) {
        auto read = change_from_json(file);
        if (!read) {
            return nullptr;
        }
        conf = *std::move(read);
    }
    return change_nfsd({json.at("own").get<std::string>(), json.at("port").get<std::uint16_t>(),
                        json.at("enable").get<bool>(), json.at("start").get<bool>(),
                        json.at("listen").get<bool>()},
                       std::move(conf));
});

Error cannot_listen(World &world, std::uint16_t port, Error error) {
    error.what = fmt::format("nfsd cannot listen by RDMA on port {}: {}", port, error.what);
    if (error.system_error == EPROTONOSUPPORT || error.system_error == ENOENT ||
        error.system_error == EAFNOSUPPORT) {
        const auto state = TRY(read_transport(world));
        error.code = ExitCode::unavailable;
        error.fix =
            fmt::format("load its RDMA transport: modprobe {}", transport_module(state.configured));
    } else if (error.system_error == EADDRINUSE) {
        error.fix = "another program listens there: rdma resource show cm_id; or give --port N";
    } else if (error.fix.empty()) {
        error.fix = "the kernel's log says more: dmesg | tail";
    }
    return error;
}

class NfsdChange final : public Change {
  public:
    NfsdChange(NfsdStart wanted, ChangePointer conf)
        : wanted_(std::move(wanted)), conf_(std::move(conf)) {}

    std::string subject() const override { return "nfsd"; }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        std::string text = conf_ ? conf_->show(direction) : "";
        if (back && wanted_.start) {
            text += fmt::format("run systemctl stop {}\n", nfsd_unit);
        }
        if (wanted_.enable || (wanted_.start && !back)) {
            text += fmt::format("run {}\n",
                                fmt::join(back ? unit_words("disable") : start_words(), " "));
        }
        if (wanted_.listen && !back) {
            text += fmt::format("nfsd listener\n+rdma {}\n", wanted_.port);
        }
        return text;
    }

    std::string report(Direction direction) const override {
        return direction == Direction::back
                   ? "nfsd is as it was before"
                   : fmt::format("set nfsd to listen by RDMA on port {}", wanted_.port);
    }

    Json json() const override {
        return {{"kind", kind_nfsd.name()},
                {"own", wanted_.own.string()},
                {"port", wanted_.port},
                {"enable", wanted_.enable},
                {"start", wanted_.start},
                {"listen", wanted_.listen},
                {"conf", conf_ ? conf_->json() : Json(nullptr)}};
    }

    Result<Standing> standing(World &world) const override {
        const Standing file = conf_ ? TRY(conf_->standing(world)) : Standing::before;
        if (file != Standing::before) {
            return file;
        }
        const bool runs = TRY(nfsd_runs(world.files));
        const bool listens = TRY(nfsd_listens_on(world, wanted_.port));
        const bool left = (wanted_.start && runs) || (wanted_.listen && listens) ||
                          (wanted_.enable && nfsd_is_enabled(world));
        return left ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        auto done = open(world);
        if (done) {
            return done;
        }
        Error error = done.error();
        if (auto closed = close(world); !closed) {
            error.what += "; " + closed.error().what;
        }
        return error;
    }

    Result<void> back(World &world) const override {
        const auto needed = expect_no_others(world);
        others_need_it_ = !needed;
        TRY(needed);
        TRY(close(world));
        if (TRY(nfsd_listens_on(world, wanted_.port))) {
            warn(fmt::format("nfsd listens by RDMA on port {} until it is restarted: systemctl "
                             "restart nfs-server",
                             wanted_.port));
        }
        return {};
    }

    Result<void> may_go_back(World &world) const override {
        if (!wanted_.start || !expect_no_others(world)) {
            return {};
        }
        std::vector<std::string> addresses;
        for (const NfsdClient &client : TRY(nfsd_clients(world.files))) {
            addresses.push_back(client.address);
        }
        return addresses.empty() ? Result<void>()
                                 : Error{ExitCode::try_again,
                                         fmt::format("nfsd would be stopped and has clients: {}",
                                                     fmt::join(addresses, ", ")),
                                         "", EBUSY};
    }

    // True only if other exports need nfsd. A step that failed must not count as undone.
    bool may_stay() const override { return others_need_it_; }

  private:
    static std::vector<std::string> unit_words(const char *verb) {
        return {"systemctl", verb, nfsd_unit};
    }

    std::vector<std::string> start_words() const {
        return wanted_.start ? std::vector<std::string>{"systemctl", "enable", "--now", nfsd_unit}
                             : unit_words("enable");
    }

    Result<void> open(World &world) const {
        if (conf_) {
            TRY(conf_->forward(world));
        }
        if (wanted_.enable || wanted_.start) {
            const auto started = TRY(world.processes.run(start_words()));
            if (!started.good()) {
                return Error{ExitCode::failed,
                             fmt::format("nfsd cannot be started: {}", started.last_words()),
                             "see: systemctl status nfs-server"};
            }
        }
        const bool runs = TRY(nfsd_runs(world.files));
        const bool listens = TRY(nfsd_listens_on(world, wanted_.port));
        if (!wanted_.listen || !runs || listens) {
            return {};
        }
        auto opened = world.files.write(nfsd_portlist, fmt::format("rdma {}\n", wanted_.port));
        return opened ? opened : cannot_listen(world, wanted_.port, opened.error());
    }

    // Stops the unit first, which ends all exports, even those in no file. If a step fails, the
    // others are done all the same.
    Result<void> close(World &world) const {
        std::vector<Result<void>> steps;
        if (wanted_.start) {
            steps.push_back(run(world, "stop"));
        }
        steps.push_back(take_conf_back(world));
        if (wanted_.enable) {
            steps.push_back(run(world, "disable"));
        }
        std::vector<std::string> failures;
        for (const Result<void> &step : steps) {
            if (!step) {
                failures.push_back(step.error().what);
            }
        }
        return failures.empty()
                   ? Result<void>()
                   : Error{ExitCode::failed, fmt::format("{}", fmt::join(failures, "; ")),
                           "see: systemctl status nfs-server"};
    }

    Result<void> take_conf_back(World &world) const {
        if (conf_ && TRY(conf_->standing(world)) == Standing::after) {
            return conf_->back(world);
        }
        return {};
    }

    static Result<void> run(World &world, const char *verb) {
        const auto end = TRY(world.processes.run(unit_words(verb)));
        return end.good() ? Result<void>()
                          : Error{ExitCode::failed, fmt::format("systemctl {} {} failed: {}", verb,
                                                                nfsd_unit, end.last_words())};
    }

    // Returns an error if another export needs nfsd, or if that is unknown.
    Result<void> expect_no_others(const World &world) const {
        const auto others = TRY(exported_besides(world.places, wanted_.own));
        return others.empty() ? Result<void>()
                              : Error{ExitCode::try_again,
                                      fmt::format("{} needs it", fmt::join(others, ", "))};
    }

    NfsdStart wanted_;
    ChangePointer conf_;
    mutable bool others_need_it_ = false; // found by the last back()
};

} // namespace

ChangePointer change_nfsd(NfsdStart wanted, ChangePointer conf) {
    return std::make_unique<NfsdChange>(std::move(wanted), std::move(conf));
}

bool nfsd_is_enabled(World &world) {
    const auto said = world.processes.run({"systemctl", "is-enabled", nfsd_unit});
    return said && said->good();
}

Result<bool> nfsd_listens_on(World &world, std::uint16_t port) {
    const auto ports = TRY(nfsd_ports(world.files));
    return std::find(ports.begin(), ports.end(), NfsdPort{"rdma", port}) != ports.end();
}

} // namespace causeway
