// SPDX-License-Identifier: GPL-2.0-or-later
// The attribute of each member of a message.
// Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
#pragma once

#include "machine/kernel.h"

#include <causeway.h>
#include <concepts>
#include <type_traits>

namespace causeway {

template <typename T, typename Wanted>
concept Is = std::same_as<std::remove_const_t<T>, Wanted>;

// each_attribute() calls visit(type of the attribute, member) for each member.

template <Is<ServerInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_INSTANCE, message.instance);
    visit(CW_A_PORT, message.port);
    visit(CW_A_LIMITS, message.limits);
    visit(CW_A_TCP_PORT, message.tcp_port);
}

template <Is<DiskPathAddresses> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_ADDRESS, message.address);
    visit(CW_A_LOCAL_ADDRESS, message.local);
    visit(CW_A_ID, message.number);
    visit(CW_A_TRANSPORT, message.transport);
}

template <Is<AttachRequest> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_ADDRESS, message.address);
    visit(CW_A_QUEUES, message.queues);
    visit(CW_A_POLL_QUEUES, message.poll_queues);
    visit(CW_A_DEPTH, message.depth);
    visit(CW_A_IO_TIMEOUT, message.io_timeout);
    visit(CW_A_KEY, message.key);
    visit(CW_A_HOST, message.host);
    visit(CW_A_BACKGROUND, message.background);
    visit(CW_A_FAST_FAIL, message.fast_fail);
    visit(CW_A_DISK_PATH, message.paths);
    visit(CW_A_PATH_POLICY, message.path_policy);
    visit(CW_A_IDENTITY, message.identity);
}

template <Is<PathRequest> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_DISK_PATH, message.paths);
}

template <Is<AttachmentUpdate> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_CHANGE, message.change);
    visit(CW_A_KEY, message.key);
    visit(CW_A_IO_TIMEOUT, message.io_timeout);
    visit(CW_A_FAST_FAIL, message.fast_fail);
    visit(CW_A_PATH_POLICY, message.path_policy);
}

template <Is<AttachmentInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_ADDRESS, message.address);
    visit(CW_A_DISK, message.disk);
    visit(CW_A_STATE, message.state);
    visit(CW_A_IDENTITY, message.identity);
    visit(CW_A_SIZE, message.size);
    visit(CW_A_BLOCK_SIZE, message.block_size);
    visit(CW_A_READ_ONLY, message.read_only);
    visit(CW_A_HAS_KEY, message.has_key);
    visit(CW_A_VOLATILE, message.volatile_cache);
    visit(CW_A_LOSS, message.loss);
    visit(CW_A_QUEUES, message.queues);
    visit(CW_A_POLL_QUEUES, message.poll_queues);
    visit(CW_A_DEPTH, message.depth);
    visit(CW_A_IO_TIMEOUT, message.io_timeout);
    visit(CW_A_FAST_FAIL, message.fast_fail);
    visit(CW_A_OPENERS, message.openers);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_REFUSAL, message.refusal);
    visit(CW_A_HOST, message.host);
    visit(CW_A_DISK_PATH, message.paths);
    visit(CW_A_PATH_POLICY, message.path_policy);
}

template <Is<DiskPath> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_ID, message.number);
    visit(CW_A_ADDRESS, message.peer);
    visit(CW_A_LOCAL_ADDRESS, message.local);
    visit(CW_A_PATH_STATE, message.state);
    visit(CW_A_TRANSPORT, message.transport);
    visit(CW_A_DEVICE, message.device);
    visit(CW_A_DEVICE_PORT, message.device_port);
    visit(CW_A_QUEUES, message.queues);
    visit(CW_A_ATTEMPTS, message.attempts);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_ERROR, message.error);
    visit(CW_A_RETRY_IN, message.retry_in);
    visit(CW_A_CARRIES_IO, message.carries_io);
    visit(CW_A_FENCING, message.fencing);
    visit(CW_A_FENCE_COMMANDS, message.fence_commands);
    visit(CW_A_LOSSES, message.losses);
    visit(CW_A_FENCES, message.fences);
    visit(CW_A_FENCE_TIME, message.fence_time);
}

template <Is<SessionInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_ROLE, message.role);
    visit(CW_A_ID, message.id);
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_HOST_NAME, message.host_name);
    visit(CW_A_HOST, message.host);
    visit(CW_A_SESSION, message.session);
    visit(CW_A_ADDRESS, message.peer);
    visit(CW_A_LOCAL_ADDRESS, message.local);
    visit(CW_A_STATE, message.state);
    visit(CW_A_TRANSPORT, message.transport);
    visit(CW_A_DEVICE, message.device);
    visit(CW_A_DEVICE_PORT, message.device_port);
    visit(CW_A_QUEUES, message.queues);
    visit(CW_A_ATTEMPTS, message.attempts);
    visit(CW_A_RECONNECTS, message.reconnects);
    visit(CW_A_SINCE, message.since);
    visit(CW_A_RETRY_IN, message.retry_in);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_ERROR, message.error);
    visit(CW_A_LOSS, message.loss);
    visit(CW_A_DISK_PATH, message.paths);
    visit(CW_A_PATH_POLICY, message.path_policy);
    visit(CW_A_FAILOVERS, message.failovers);
    visit(CW_A_FALLBACKS, message.fallbacks);
    visit(CW_A_RETURNS, message.returns);
    visit(CW_A_FALLBACK_REASON, message.fallback_reason);
}

template <Is<StatInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_ROLE, message.role);
    visit(CW_A_ID, message.id);
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_HOST_NAME, message.host_name);
    visit(CW_A_DISK, message.disk);
    visit(CW_A_ADDRESS, message.peer);
    visit(CW_A_COUNTERS, message.counters);
    visit(CW_A_READ_LATENCY, message.read_latency);
    visit(CW_A_WRITE_LATENCY, message.write_latency);
    visit(CW_A_FLUSH_LATENCY, message.flush_latency);
}

template <Is<NfsRail> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_STATE, message.state);
    visit(CW_A_LOCAL_ADDRESS, message.local);
    visit(CW_A_DEVICE, message.device);
    visit(CW_A_DEVICE_PORT, message.device_port);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_RETRY_IN, message.retry_in);
}

template <Is<NfsConnection> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_ROLE, message.role);
    visit(CW_A_ID, message.id);
    visit(CW_A_SERVER, message.server);
    visit(CW_A_ADDRESS, message.peer);
    visit(CW_A_LOCAL_ADDRESS, message.local);
    visit(CW_A_STATE, message.state);
    visit(CW_A_TRANSPORT, message.transport);
    visit(CW_A_DEVICE, message.device);
    visit(CW_A_DEVICE_PORT, message.device_port);
    visit(CW_A_QUEUES, message.queues);
    visit(CW_A_SEND_INLINE, message.send_inline);
    visit(CW_A_RECEIVE_INLINE, message.receive_inline);
    visit(CW_A_CREDITS, message.credits);
    visit(CW_A_CALLS, message.calls);
    visit(CW_A_REMOTE_INVALIDATE, message.remote_invalidate);
    visit(CW_A_BACKCHANNEL, message.backchannel);
    visit(CW_A_ATTEMPTS, message.attempts);
    visit(CW_A_RECONNECTS, message.reconnects);
    visit(CW_A_SINCE, message.since);
    visit(CW_A_RETRY_IN, message.retry_in);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_ERROR, message.error);
    visit(CW_A_RAIL, message.rails);
    visit(CW_A_NFS_COUNTERS, message.counters);
}

template <Is<ExportAddress> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_TRANSPORT, message.transport);
    visit(CW_A_ADDRESS, message.address);
}

template <Is<DiscoveredExport> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_NAME, message.name);
    visit(CW_A_IDENTITY, message.identity);
    visit(CW_A_SIZE, message.size);
    visit(CW_A_BLOCK_SIZE, message.block_size);
    visit(CW_A_READ_ONLY, message.read_only);
    visit(CW_A_EXCLUSIVE, message.exclusive);
    visit(CW_A_VOLATILE, message.volatile_cache);
    visit(CW_A_HAS_KEY, message.has_key);
    visit(CW_A_EXPORT_ADDRESS, message.addresses);
}

template <Is<OwnerInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_NAME, message.name);
    visit(CW_A_HOST, message.host);
    visit(CW_A_BOOT, message.boot);
    visit(CW_A_SESSION, message.session);
    visit(CW_A_SERIAL, message.serial);
    visit(CW_A_EPOCH, message.epoch);
    visit(CW_A_SEEN, message.seen);
    visit(CW_A_OWNER, message.owner);
    visit(CW_A_EVICTED, message.evicted);
    visit(CW_A_STATE, message.state);
    visit(CW_A_ADDRESS, message.address);
    visit(CW_A_HOST_NAME, message.host_name);
}

template <Is<Event> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_EVENT, message.kind);
    visit(CW_A_TIME, message.time);
    visit(CW_A_ROLE, message.role);
    visit(CW_A_SERVER, message.server);
    visit(CW_A_NAME, message.name);
    visit(CW_A_DISK, message.disk);
    visit(CW_A_HOST_NAME, message.host_name);
    visit(CW_A_ADDRESS, message.peer);
    visit(CW_A_TEXT, message.text);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_ERROR, message.error);
}

template <Is<ExportSettings> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_NAME, message.name);
    visit(CW_A_BACKEND, message.backend);
    visit(CW_A_READ_ONLY, message.read_only);
    visit(CW_A_EXCLUSIVE, message.exclusive);
    visit(CW_A_WRITE_THROUGH, message.write_through);
    visit(CW_A_TCP, message.tcp);
    visit(CW_A_IDENTITY, message.identity);
    visit(CW_A_LEDGER, message.ledger);
    visit(CW_A_TAKEOVER_AFTER, message.takeover_after);
}

template <Is<ExportInfo> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_PATH, message.settings.path);
    visit(CW_A_SIZE, message.settings.size);
    visit(CW_A_HAS_KEY, message.has_key);
    visit(CW_A_BLOCK_SIZE, message.block_size);
    visit(CW_A_VOLATILE, message.volatile_cache);
    visit(CW_A_DISCARD, message.discard);
    visit(CW_A_WRITE_ZEROES, message.write_zeroes);
    visit(CW_A_SESSIONS, message.sessions);
    visit(CW_A_LEDGER_FOLDER, message.settings.state_folder);
    visit(CW_A_OUTDATED, message.outdated);
    visit(CW_A_HOSTS, message.hosts);
    visit(CW_A_HOSTS_MAX, message.hosts_max);
    visit(CW_A_REASON, message.reason);
    visit(CW_A_READ_ONLY_SET, message.read_only_set);
}

template <Is<StopReport::Export> Message, typename Visit>
void each_attribute(Message &message, const Visit &visit) {
    visit(CW_A_NAME, message.name);
    visit(CW_A_TEXT, message.reason);
}

} // namespace causeway
