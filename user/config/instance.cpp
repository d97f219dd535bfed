// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/instance.h"

#include "base/durable_file.h"
#include "config/ini.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Returns true if the target module still has the instance that the file records, in the same boot.
bool same_life(const InstanceSight &sight) {
    return sight.record && !sight.kernel.is_nil() && sight.kernel == sight.record->instance &&
           sight.boot == sight.record->boot;
}

const IniSchema &schema() {
    static const IniSchema schema{"instance", {{"uuid"}, {"boot"}, {"clean"}}};
    return schema;
}

} // namespace

InstancePlan plan_start(const InstanceSight &sight) {
    InstancePlan plan;
    const bool marked = sight.record && sight.record->clean;
    if (sight.exports) {
        // Another program started this instance. A mark that is not removed would survive a crash
        // of this instance.
        if (marked) {
            plan.write = InstanceRecord{sight.kernel, sight.boot, false};
        }
        return plan;
    }
    if (!marked && same_life(sight)) {
        return plan;
    }
    plan.send_to_kernel = true;
    plan.new_instance = !marked;
    plan.write = InstanceRecord{marked ? sight.record->instance : Uuid(), sight.boot, false};
    return plan;
}

std::optional<InstanceRecord> plan_stop(const InstanceSight &sight, bool kernel_clean) {
    if (!kernel_clean || !same_life(sight)) {
        return std::nullopt;
    }
    return InstanceRecord{sight.record->instance, sight.boot, true};
}

std::string instance_text(const InstanceRecord &record) {
    IniText ini("Written by causeway. Do not edit or copy this file: from it the server reports to "
                "clients whether writes can be lost.",
                "instance");
    ini.add("uuid", record.instance.text());
    ini.add("boot", record.boot.text());
    ini.add("clean", record.clean ? "yes" : "no");
    return ini.text();
}

std::optional<InstanceRecord> parse_instance(std::string_view content) {
    auto file = IniFile::parse("instance", content, schema());
    if (!file) {
        return std::nullopt;
    }
    const auto instance = Uuid::parse(file->value("uuid"));
    const auto boot = Uuid::parse(file->value("boot"));
    const auto clean = file->flag("clean");
    if (!instance || instance->is_nil() || !boot || !clean) {
        return std::nullopt;
    }
    return InstanceRecord{*instance, *boot, *clean};
}

Result<std::optional<InstanceRecord>> load_instance(const Places &places) {
    auto content = read_small_file(places.instance());
    if (!content) {
        return content.error();
    }
    return *content ? parse_instance(**content) : std::nullopt;
}

Result<void> store_instance(const Places &places, const InstanceRecord &record) {
    return write_durably(places.instance(), instance_text(record), 0644);
}

} // namespace causeway
