// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the inputs from which the fuzzers start: a valid example of every message and struct, made
// by the pack functions, and the inputs of the other files named seed_*.cpp.
#include "seed.h"

#include <filesystem>
#include <fstream>

#include "kmod/rpcrdma/wire/private_data.h"
#include "message.h"
#include "rpcrdma_samples.h"

using namespace fuzz;

namespace
{

std::filesystem::path top;

template <class Rec, class Host, class... Args>
std::string packed(void (*pack)(Rec *, const Host *, Args...), const Host &host, Args... args)
{
	Rec rec;
	pack(&rec, &host, args...);
	return raw(rec);
}

void setup()
{
	write_seed("setup", "request", '\0' + packed(cw_pack_req, samples::req()));
	write_seed("setup", "request-control", '\0' + packed(cw_pack_req, samples::control_req()));
	cw_wire_req other;
	const cw_req req = samples::req();
	cw_pack_req(&other, &req);
	other.version_min = other.version_max = __cpu_to_le16(1);
	write_seed("setup", "request-version-1", '\0' + raw(other));
	write_seed("setup", "acceptance", '\1' + packed(cw_pack_rep, samples::rep()));
	write_seed("setup", "acceptance-control",
		   '\1' + packed(cw_pack_rep, samples::control_rep()));
	cw_wire_rej rej;
	cw_pack_rej(&rej, CW_REFUSED_STALE);
	write_seed("setup", "rejection", '\2' + raw(rej));
}

const char OFFERED = CW_FEATURE_CRC | CW_FEATURE_BARE;

// Writes the struct alone, and the message that carries it.
void control(int which, const std::string &target, const std::string &name, u8 type,
	     const std::string &data, char features = OFFERED)
{
	write_seed("control", name, std::string{char(which), features} + data);
	if (target.empty())
		return;
	const Negotiated n{.kind = 0,
			   .pages = 1,
			   .depth = 31,
			   .max_io = 255,
			   .discard_ranges = 64,
			   .features = u8(OFFERED),
			   .disk = 0,
			   .bare = 0};
	cw_wire_tail tail;
	cw_pack_tail(&tail, type, 0, u32(data.size()), 0, 0);
	write_seed(target, name, raw(n) + data + raw(tail));
}

void controls()
{
	control(0, "to_server", "hello", CW_MSG_HELLO, packed(cw_pack_hello, samples::hello()));
	control(0, "to_server", "hello-returning", CW_MSG_HELLO,
		packed(cw_pack_hello, samples::returning()));
	control(1, "to_client", "challenge", CW_MSG_CHALLENGE,
		packed(cw_pack_challenge, samples::challenge()));
	control(2, "to_server", "proof", CW_MSG_PROOF, std::string(CW_WIRE_MAC, 'm'));
	control(3, "to_client", "welcome", CW_MSG_WELCOME,
		packed(cw_pack_welcome, samples::welcome()));
	control(4, "to_client", "refused", CW_MSG_REFUSED,
		packed(cw_pack_refused, samples::refused()));
	control(5, "to_server", "discover", CW_MSG_DISCOVER, raw(samples::discover()));
	const std::string one = packed(cw_pack_export, samples::export_info());
	const std::string many = packed(cw_pack_export, samples::export_info_of_many());
	control(6, "to_client", "exports", CW_MSG_EXPORTS, one + many + one);
	control(6, "to_client", "exports-none", CW_MSG_EXPORTS, "");
	control(7, "to_client", "notice", CW_MSG_NOTICE, packed(cw_pack_notice, samples::notice()));
	control(7, "to_client", "notice-stopping", CW_MSG_NOTICE,
		packed(cw_pack_notice, samples::stopping()));
	control(8, "", "geometry", 0, packed(cw_pack_geometry, samples::geometry()));
	control(8, "", "geometry-plain", 0, packed(cw_pack_geometry, samples::plain_geometry()));
	control(9, "to_client", "waiting", CW_MSG_WAITING,
		packed(cw_pack_waiting, samples::waiting()));
	control(9, "to_client", "waiting-fence", CW_MSG_WAITING,
		packed(cw_pack_waiting, samples::fence_waiting()));
	control(10, "to_server", "probe", CW_MSG_PROBE, raw(samples::probe()));
	control(10, "to_client", "alive", CW_MSG_ALIVE, raw(samples::probe()));
	control(11, "to_server", "join", CW_MSG_JOIN, packed(cw_pack_join, samples::join()));
	control(12, "to_client", "joined", CW_MSG_JOINED, packed(cw_pack_joined, samples::joined()),
		char(samples::join().features));
	const std::string incarnation = packed(cw_pack_incarnation, samples::incarnation());
	control(13, "to_server", "fence", CW_MSG_FENCE, incarnation);
	cw_incarnation announces = samples::incarnation();
	announces.tag = cw_join_tag(samples::join().nonce);
	control(13, "to_server", "fence-of-a-join", CW_MSG_FENCE,
		packed(cw_pack_incarnation, announces));
	control(13, "to_client", "fenced", CW_MSG_FENCED, incarnation);
	control(13, "to_server", "path-bye", CW_MSG_PATH_BYE, incarnation);
	control(14, "", "key", 0, std::string(32, 'k'));
	control(2, "to_server", "goodbye", CW_MSG_GOODBYE, "");
	control(2, "to_client", "farewell", CW_MSG_FAREWELL, "");
}

// Types in their order. Those of the client have the highest bit set.
void orders()
{
	const auto dialogue = [](const std::string &name, std::initializer_list<int> types) {
		std::string bytes;
		for (const int type : types)
			bytes += char(type > 0 ? type : -type | 0x80);
		write_seed("order", name, bytes);
	};
	dialogue("session", {-CW_MSG_HELLO, CW_MSG_CHALLENGE, -CW_MSG_PROOF, -CW_MSG_PROBE,
			     CW_MSG_WAITING, CW_MSG_WELCOME, CW_MSG_NOTICE, -CW_MSG_FENCE,
			     CW_MSG_WAITING, CW_MSG_FENCED, -CW_MSG_GOODBYE, CW_MSG_FAREWELL});
	dialogue("refusal", {-CW_MSG_HELLO, CW_MSG_REFUSED});
	dialogue("discovery", {-CW_MSG_DISCOVER, CW_MSG_EXPORTS, -CW_MSG_DISCOVER, CW_MSG_EXPORTS});
	dialogue("path", {-CW_MSG_JOIN, CW_MSG_WAITING, CW_MSG_JOINED, -CW_MSG_PATH_BYE,
			  CW_MSG_PROBE, -CW_MSG_ALIVE});
}

void message(const std::string &target, const std::string &name, u8 kind, u8 type, u16 count,
	     std::string data, const std::string &records)
{
	constexpr u8 MANY = 129; // 16 pages
	const Negotiated n{.kind = kind,
			   .pages = data.size() > CW_WIRE_PAGE ? MANY : u8(1),
			   .depth = 31,
			   .max_io = 255,
			   .discard_ranges = 64,
			   .features = CW_FEATURE_CRC,
			   .disk = 0,
			   .bare = 0};
	cw_wire_tail tail;
	cw_pack_tail(&tail, type, count, u32(data.size()), 1, 1);
	write_seed(target, name, raw(n) + data + records + raw(tail));
}

void bare(const std::string &target, const std::string &name, u32 imm)
{
	Negotiated n{};
	n.kind = 1;
	n.pages = 1;
	n.depth = 31;
	n.max_io = 255;
	n.features = CW_FEATURE_BARE;
	n.bare = 1;
	write_seed(target, name, raw(n) + raw(imm) + std::string(CW_WIRE_PAGE, 'd'));
}

void commands(const std::string &name, std::initializer_list<cw_cmd> cmds, const std::string &data)
{
	std::string records;
	for (const cw_cmd &cmd : cmds)
		records += packed(cw_pack_cmd, cmd, samples::limits().export_id);
	message("to_server", name, 1, CW_MSG_COMMANDS, u16(cmds.size()), data, records);
}

void completions(const std::string &name, std::initializer_list<cw_done> dones,
		 const std::string &data)
{
	std::string records;
	for (const cw_done &done : dones)
		records += packed(cw_pack_done, done);
	message("to_client", name, 1, CW_MSG_COMPLETIONS, u16(dones.size()), data, records);
}

// Messages with the greatest number of pages and records: 16 of each.
void full_messages()
{
	std::string writes, reads;
	for (u32 i = 0; i < 16; i++) {
		cw_cmd cmd = samples::write_inline();
		cmd.slot = u16(i);
		cmd.len = cmd.data_len = CW_WIRE_PAGE;
		cmd.data_off = i * CW_WIRE_PAGE;
		writes += packed(cw_pack_cmd, cmd, samples::limits().export_id);
		cw_done done = samples::done_data();
		done.slot = u16(i);
		done.data_len = CW_WIRE_PAGE;
		done.data_off = i * CW_WIRE_PAGE;
		reads += packed(cw_pack_done, done);
	}
	const std::string data(16 * CW_WIRE_PAGE, 'd');
	message("to_server", "full", 1, CW_MSG_COMMANDS, 16, data, writes);
	message("to_client", "full", 1, CW_MSG_COMPLETIONS, 16, data, reads);
}

void links()
{
	const std::string data(1536, 'd');
	const std::string ranges = raw(samples::range(0, 4096)) + raw(samples::range(8192, 512)) +
				   raw(samples::range(1U << 20, 1U << 20));
	bare("to_server", "bare-write", 2);
	bare("to_client", "bare-read", 5 | 1 << 16);
	commands("read", {samples::read_inline()}, "");
	commands("read-bulk", {samples::read_bulk()}, "");
	commands("write", {samples::write_inline()}, data);
	commands("write-bulk", {samples::write_bulk()}, "");
	commands("flush", {samples::flush()}, "");
	commands("discard", {samples::discard()}, ranges);
	commands("write-zeroes", {samples::write_zeroes()}, "");
	commands("batch",
		 {samples::read_inline(), samples::write_inline(), samples::flush(),
		  samples::discard(), samples::write_zeroes()},
		 ranges + data);
	full_messages();
	message("to_server", "probe-data", 1, CW_MSG_PROBE, 0, "", "");
	message("to_client", "alive-data", 1, CW_MSG_ALIVE, 0, "", "");
	completions("data", {samples::done_data()}, data);
	completions("plain", {samples::done_plain()}, "");
	completions("error", {samples::done_error()}, "");
	completions("batch", {samples::done_data(), samples::done_plain(), samples::done_error()},
		    data);
}

void rpcrdma_message(const std::string &target, const std::string &name,
		     const rpcrdma::Message &message)
{
	write_seed("rpcrdma_" + target, name, char(rpcrdma::SEGMENTS) + message.bytes());
}

void rpcrdma_messages()
{
	using rpcrdma::fixed;
	rpcrdma_message("call", "plain", fixed(CWR_MSG).words({0, 0, 0}).rpc(0).body(32));
	rpcrdma_message("call", "read", rpcrdma::read_call());
	rpcrdma_message("call", "write", rpcrdma::write_call());
	rpcrdma_message("call", "long", rpcrdma::long_call());
	rpcrdma_message("call", "full", fixed(CWR_MSG).words({0, 0, 0}).rpc(0).body(60000));
	rpcrdma_message("call", "version", fixed(CWR_MSG, 32, 2).words({0, 0, 0}));
	rpcrdma_message("reply", "plain", fixed(CWR_MSG).words({0, 0, 0}).rpc(1).body(32));
	rpcrdma_message("reply", "data",
			fixed(CWR_MSG)
				.words({0, 1, 2})
				.segment(1, 4096, 0)
				.segment(2, 100, 0)
				.words({0, 0})
				.rpc(1)
				.body(32));
	rpcrdma_message("reply", "long", fixed(CWR_NOMSG).words({0, 0, 1, 1}).segment(1, 500, 0));
	rpcrdma_message("reply", "full", fixed(CWR_MSG).words({0, 0, 0}).rpc(1).body(60000));
	rpcrdma_message("reply", "version", fixed(CWR_ERROR).words({CWR_ERR_VERS, 1, 1}));
	rpcrdma_message("reply", "chunk", fixed(CWR_ERROR).word(CWR_ERR_CHUNK));
	const cwr_private own = {true, true, 16384, 4096};
	u8 bytes[CWR_PRIVATE_BYTES];
	cwr_put_private(bytes, &own);
	write_seed("rpcrdma_reply", "private", '\0' + raw(bytes));
}

} // namespace

void fuzz::write_seed(const std::string &target, const std::string &name, const std::string &bytes)
{
	std::filesystem::create_directories(top / target);
	std::ofstream(top / target / name, std::ios::binary) << bytes;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	top = argv[1];
	setup();
	controls();
	orders();
	links();
	rpcrdma_messages();
	cidr_seeds();
	ledger_seeds();
	netlink_seeds();
	paths_seeds();
	tcp_seeds();
	text_seeds();
	return 0;
}
