// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/instance.h"

#include "base/durable_file.h"
#include "config/ini.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Returns true if the target module still has the instance that the file records, in the same boot.
bool same_life(const InstanceState &state) {
    return state.record && !state.kernel.is_nil() && state.kernel == state.record->instance &&
           state.boot == state.record->boot;
}

const IniSchema &schema() {
    static const IniSchema schema{"instance", {{"uuid"}, {"boot"}, {"clean"}}};
    return schema;
}

} // namespace

InstancePlan plan_start(const InstanceState &state) {
    InstancePlan plan;
    const bool marked = state.record && state.record->clean;
    if (state.exports) {
        // Another program started this instance. A mark that is not removed would survive a crash
        // of this instance.
        if (marked) {
            plan.write = InstanceRecord{state.kernel, state.boot, false};
        }
        return plan;
    }
    if (!marked && same_life(state)) {
        return plan;
    }
    plan.send_to_kernel = true;
    plan.new_instance = !marked;
    plan.write = InstanceRecord{marked ? state.record->instance : Uuid(), state.boot, false};
    return plan;
}

std::optional<InstanceRecord> plan_stop(const InstanceState &state, bool kernel_clean) {
    if (!kernel_clean || !same_life(state)) {
        return std::nullopt;
    }
    return InstanceRecord{state.record->instance, state.boot, true};
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
    const auto content = TRY(read_small_file(places.instance()));
    return content ? parse_instance(*content) : std::nullopt;
}

Result<void> store_instance(const Places &places, const InstanceRecord &record) {
    return write_durably(places.instance(), instance_text(record), 0644);
}

} // namespace causeway
