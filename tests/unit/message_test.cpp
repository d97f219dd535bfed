// SPDX-License-Identifier: GPL-2.0-or-later
// Tails, commands, ranges and completions: PROTOCOL, sections 3 and 8.
#include "wire.h"

using namespace wire;

namespace
{

constexpr bool TO_SERVER = true;
constexpr bool TO_CLIENT = false;

struct Message {
	u8 type;
	u16 count;
	u32 data_len;
	size_t len; // of the whole message, in bytes
	u32 inline_size;
	u8 kind;
	bool to_server;
};

int parse(const Message &m, cw_frame *out, void (*harm)(cw_wire_tail &) = nullptr)
{
	cw_wire_tail tail;
	cw_pack_tail(&tail, m.type, m.count, m.data_len, 0x01020304,
		     m.kind == CW_KIND_CONTROL ? 0 : 0x05060708);
	if (harm)
		harm(tail);
	return cw_parse_tail(&tail, m.len, m.inline_size, m.kind, m.to_server, out);
}

int parse(const Message &m)
{
	cw_frame out;
	return parse(m, &out);
}

Message control(u8 type, u32 data_len, bool to_server)
{
	return {type, 0, data_len, data_len + 16, CW_WIRE_PAGE, CW_KIND_CONTROL, to_server};
}

Message commands(u16 count, u32 data_len)
{
	return {CW_MSG_COMMANDS, count,	   data_len, data_len + count * 48UL + 16, 4096,
		CW_KIND_DATA,	 TO_SERVER};
}

Message completions(u16 count, u32 data_len)
{
	return {CW_MSG_COMPLETIONS, count,    data_len, data_len + count * 16UL + 16, 4096,
		CW_KIND_DATA,	    TO_CLIENT};
}

// A valid message of every type. PROBE and ALIVE occur once for each direction and kind of link.
std::vector<Message> one_of_each()
{
	return {
		control(CW_MSG_HELLO, sizeof(cw_wire_hello), TO_SERVER),
		control(CW_MSG_CHALLENGE, sizeof(cw_wire_challenge), TO_CLIENT),
		control(CW_MSG_PROOF, sizeof(cw_wire_proof), TO_SERVER),
		control(CW_MSG_WELCOME, sizeof(cw_wire_welcome), TO_CLIENT),
		control(CW_MSG_REFUSED, sizeof(cw_wire_refused), TO_CLIENT),
		control(CW_MSG_DISCOVER, sizeof(cw_wire_discover), TO_SERVER),
		control(CW_MSG_EXPORTS, 3 * sizeof(cw_wire_export), TO_CLIENT),
		control(CW_MSG_PROBE, sizeof(cw_wire_probe), TO_SERVER),
		control(CW_MSG_PROBE, sizeof(cw_wire_probe), TO_CLIENT),
		control(CW_MSG_ALIVE, sizeof(cw_wire_probe), TO_SERVER),
		control(CW_MSG_ALIVE, sizeof(cw_wire_probe), TO_CLIENT),
		{CW_MSG_PROBE, 0, 0, 16, 4096, CW_KIND_DATA, TO_SERVER},
		{CW_MSG_ALIVE, 0, 0, 16, 4096, CW_KIND_DATA, TO_CLIENT},
		control(CW_MSG_NOTICE, sizeof(cw_wire_notice), TO_CLIENT),
		control(CW_MSG_GOODBYE, 0, TO_SERVER),
		control(CW_MSG_WAITING, sizeof(cw_wire_waiting), TO_CLIENT),
		control(CW_MSG_FAREWELL, 0, TO_CLIENT),
		control(CW_MSG_JOIN, sizeof(cw_wire_join), TO_SERVER),
		control(CW_MSG_JOINED, sizeof(cw_wire_joined), TO_CLIENT),
		control(CW_MSG_FENCE, sizeof(cw_wire_incarnation), TO_SERVER),
		control(CW_MSG_FENCED, sizeof(cw_wire_incarnation), TO_CLIENT),
		control(CW_MSG_PATH_BYE, sizeof(cw_wire_incarnation), TO_SERVER),
		commands(3, 1024),
		completions(3, 1024),
	};
}

bool symmetric(u8 type)
{
	return type == CW_MSG_PROBE || type == CW_MSG_ALIVE;
}

TEST(Tail, SaysWhereThingsLie)
{
	cw_frame f{};
	ASSERT_EQ(parse(commands(3, 1024), &f), 0);
	EXPECT_EQ(f.type, CW_MSG_COMMANDS);
	EXPECT_EQ(f.count, 3);
	EXPECT_EQ(f.record, 48);
	EXPECT_EQ(f.data_len, 1024U);
	EXPECT_EQ(f.ordinal, 0x01020304U);
	EXPECT_EQ(f.credit, 0x05060708U);
	EXPECT_EQ(f.trailer_len, 3 * 48U + 16);

	ASSERT_EQ(parse(completions(64, 0), &f), 0);
	EXPECT_EQ(f.record, 16);
	EXPECT_EQ(f.trailer_len, 64 * 16U + 16);

	ASSERT_EQ(parse(control(CW_MSG_HELLO, 304, TO_SERVER), &f), 0);
	EXPECT_EQ(f.count, 0);
	EXPECT_EQ(f.record, 0);
	EXPECT_EQ(f.trailer_len, 16U);
}

TEST(Tail, EveryTypeIsAcceptedWhereItBelongsAndNowhereElse)
{
	for (Message m : one_of_each()) {
		SCOPED_TRACE(int(m.type));
		EXPECT_EQ(parse(m), 0);
		m.to_server = !m.to_server;
		EXPECT_EQ(parse(m), symmetric(m.type) ? 0 : -EPROTO);
		m.to_server = !m.to_server;

		// Types that both kinds of link carry have a struct on only one of them.
		const bool data = m.kind == CW_KIND_DATA;
		m.kind = data ? CW_KIND_CONTROL : CW_KIND_DATA;
		EXPECT_EQ(parse(m), -EPROTO);
		for (u8 kind : {0, 3, 8, 255}) {
			m.kind = kind;
			EXPECT_EQ(parse(m), -EPROTO);
		}
	}
}

TEST(Tail, UnknownTypesAreRefused)
{
	std::vector<bool> known(256);
	for (const Message &m : one_of_each())
		known[m.type] = true;
	for (int type = 0; type < 256; type++) {
		if (known[type])
			continue;
		for (u8 kind : {CW_KIND_CONTROL, CW_KIND_DATA})
			for (bool to_server : {TO_SERVER, TO_CLIENT})
				for (u16 count : {0, 1})
					EXPECT_EQ(parse({u8(type), count, 0, 16UL + count * 16,
							 4096, kind, to_server}),
						  -EPROTO)
						<< type;
	}
}

TEST(Tail, RulesOfEveryType)
{
	for (const Message &valid : one_of_each()) {
		SCOPED_TRACE(int(valid.type));
		cw_frame f;
		memset(&f, 0x5a, sizeof(f));
		const std::string before = bytes(f);
		EXPECT_EQ(parse(valid, &f, [](auto &t) { t.flags = 1; }), -EPROTO);
		EXPECT_EQ(parse(valid, &f, [](auto &t) { t.flags = 0x80; }), -EPROTO);
		if (valid.kind == CW_KIND_CONTROL) {
			EXPECT_EQ(parse(valid, &f, [](auto &t) { t.credit = le32(1); }), -EPROTO);
		}
		EXPECT_EQ(bytes(f), before);
		for (size_t len = 0; len < 8192; len++) {
			Message m = valid;
			m.len = len;
			EXPECT_EQ(parse(m), len == valid.len ? 0 : -EPROTO) << len;
		}
		Message m = valid;
		m.len += 1ULL << 32;
		EXPECT_EQ(parse(m), -EPROTO);
	}
}

// Gives the message the length that fits the count and the data, whatever these are.
int consistent(const Message &like, u16 count, u32 data_len)
{
	Message m = like;
	const size_t record = m.type == CW_MSG_COMMANDS ? 48 : 16;
	m.count = count;
	m.data_len = data_len;
	m.len = size_t(data_len) + count * record + 16;
	return parse(m);
}

TEST(Tail, ControlMessagesHaveNoRecordsAndTheirExactData)
{
	for (const Message &valid : one_of_each()) {
		if (valid.kind != CW_KIND_CONTROL)
			continue;
		SCOPED_TRACE(int(valid.type));
		for (u16 count : {1, 64, 65535})
			EXPECT_EQ(consistent(valid, count, valid.data_len), -EPROTO);
		for (u32 len = 0; len <= 4400; len += 8) {
			const bool fits = valid.type == CW_MSG_EXPORTS
						  ? len % sizeof(cw_wire_export) == 0 && len <= 4096
						  : len == valid.data_len;
			EXPECT_EQ(consistent(valid, 0, len), fits ? 0 : -EPROTO) << len;
		}
		EXPECT_EQ(consistent(valid, 0, 0xfffffff0), -EPROTO);
	}
}

TEST(Tail, AControlLinkHasOnePageWhateverTheSessionHas)
{
	Message m = control(CW_MSG_EXPORTS, 15 * sizeof(cw_wire_export), TO_CLIENT);
	m.inline_size = 16384;
	EXPECT_EQ(parse(m), -EPROTO);
	m = control(CW_MSG_EXPORTS, 14 * sizeof(cw_wire_export), TO_CLIENT);
	m.inline_size = 16384;
	EXPECT_EQ(parse(m), 0);
	m.inline_size = 14 * sizeof(cw_wire_export) - 1;
	EXPECT_EQ(parse(m), -EPROTO);
}

TEST(Tail, RecordsAreOneTo64)
{
	for (u16 count : {1, 2, 63, 64}) {
		EXPECT_EQ(parse(commands(count, 0)), 0) << count;
		EXPECT_EQ(parse(completions(count, 0)), 0) << count;
	}
	for (u16 count : {0, 65, 66, 255, 256, 65535}) {
		EXPECT_EQ(parse(commands(count, 0)), -EPROTO) << count;
		EXPECT_EQ(parse(completions(count, 0)), -EPROTO) << count;
	}
}

TEST(Tail, DataOfCommandsIsWholeSixteensWithinTheInlineSize)
{
	for (u32 len : {0U, 16U, 512U, 4080U, 4096U})
		EXPECT_EQ(parse(commands(1, len)), 0) << len;
	for (u32 len : {1U, 8U, 15U, 17U, 4095U, 4097U, 4112U, 65536U, 0xfffffff0U})
		EXPECT_EQ(parse(commands(1, len)), -EPROTO) << len;
}

TEST(Tail, TheWholeMessageFitsAReceive)
{
	EXPECT_EQ(parse(commands(21, 4096)), 0); // 1024 bytes follow the data
	EXPECT_EQ(parse(commands(22, 4096)), -EPROTO);
	EXPECT_EQ(parse(commands(64, 4096 + 1008 - 64 * 48)), 0);
	EXPECT_EQ(parse(commands(64, 4096 + 1024 - 64 * 48)), -EPROTO);
	EXPECT_EQ(parse(completions(63, 4096)), 0); // fits exactly
	EXPECT_EQ(parse(completions(64, 4096)), -EPROTO);

	Message none = commands(21, 0); // a link without a data area
	none.inline_size = 0;
	EXPECT_EQ(parse(none), 0);
	none = commands(22, 0);
	none.inline_size = 0;
	EXPECT_EQ(parse(none), -EPROTO);
	none = commands(1, 16);
	none.inline_size = 0;
	EXPECT_EQ(parse(none), -EPROTO);

	Message vast = commands(1, 4096);
	vast.inline_size = 0xffffffff; // the sum must not overflow
	EXPECT_EQ(parse(vast), 0);
}

TEST(Tail, MayLieAnywhere)
{
	alignas(16) u8 buf[64];
	for (size_t off = 0; off < 16; off++) {
		cw_wire_tail tail;
		cw_frame f;
		cw_pack_tail(&tail, CW_MSG_GOODBYE, 0, 0, 1, 0);
		memcpy(buf + off, &tail, sizeof(tail));
		EXPECT_EQ(cw_parse_tail(reinterpret_cast<const cw_wire_tail *>(buf + off), 16, 4096,
					CW_KIND_CONTROL, TO_SERVER, &f),
			  0);
	}
}

// ---- commands ----

const u16 EXPORT = samples::limits().export_id;

int parse_cmd(const cw_wire_cmd &rec, cw_cmd *out)
{
	const cw_frame frame = frame_of(2048);
	const cw_limits lim = samples::limits();
	return cw_parse_cmd(&rec, &frame, &lim, out);
}

int parse_cmd(const cw_cmd &cmd, u32 data = 2048, const cw_limits &lim = samples::limits())
{
	const cw_wire_cmd rec = packed(cw_pack_cmd, cmd, lim.export_id);
	const cw_frame frame = frame_of(data);
	cw_cmd out;
	return cw_parse_cmd(&rec, &frame, &lim, &out);
}

std::vector<cw_cmd> all_commands()
{
	return {samples::read_inline(), samples::read_bulk(), samples::write_inline(),
		samples::write_bulk(),	samples::flush(),     samples::discard(),
		samples::write_zeroes()};
}

TEST(Command, ArrivesAsSent)
{
	for (const cw_cmd &cmd : all_commands()) {
		cw_cmd out{};
		ASSERT_EQ(parse_cmd(packed(cw_pack_cmd, cmd, EXPORT), &out), 0) << int(cmd.op);
		EXPECT_EQ(out.op, cmd.op);
		EXPECT_EQ(out.flags, cmd.flags);
		EXPECT_EQ(out.slot, cmd.slot);
		EXPECT_EQ(out.len, cmd.len);
		EXPECT_EQ(out.offset, cmd.offset);
		EXPECT_EQ(out.data_off, cmd.data_off);
		EXPECT_EQ(out.data_len, cmd.data_len);
		EXPECT_EQ(out.rkey, cmd.rkey);
		EXPECT_EQ(out.crc, cmd.crc);
		EXPECT_EQ(out.addr, cmd.addr);
	}
}

TEST(Command, RulesOfAll)
{
	for (const cw_cmd &cmd : all_commands()) {
		SCOPED_TRACE(int(cmd.op));
		each_harm_is_refused<cw_cmd, cw_wire_cmd>(
			packed(cw_pack_cmd, cmd, EXPORT),
			[](const cw_wire_cmd &r, cw_cmd *out) { return parse_cmd(r, out); },
			{
				{"op 0", [](auto &r) { r.op = 0; }},
				{"op unknown", [](auto &r) { r.op = CW_OP_WRITE_ZEROES + 1; }},
				{"op far", [](auto &r) { r.op = 255; }},
				{"flag unknown", [](auto &r) { r.flags |= 1 << 5; }},
				{"flag far", [](auto &r) { r.flags |= 1 << 7; }},
				{"slot at the depth", [](auto &r) { r.slot = le16(128); }},
				{"slot far", [](auto &r) { r.slot = le16(65535); }},
				{"export below", [](auto &r) { r.export_id = le16(EXPORT - 1); }},
				{"export above", [](auto &r) { r.export_id = le16(EXPORT + 1); }},
				{"reserved first", [](auto &r) { r.reserved[0] = 1; }},
				{"reserved last", [](auto &r) { r.reserved[5] = 0x80; }},
				{"crc without flag",
				 [](auto &r) {
					 r.flags &= ~CW_CMD_CRC;
					 r.crc = le32(1);
				 }},
			});
	}
}

// Tries each of the 32 sets of flags with each operation, with its other fields made to fit.
TEST(Command, OnlyTheNamedFlagsOfEachOperation)
{
	for (int op = CW_OP_READ; op <= CW_OP_WRITE_ZEROES; op++) {
		for (int flags = 0; flags < 256; flags++) {
			const bool in = flags & CW_CMD_INLINE, bulk = flags & CW_CMD_BULK;
			bool fine = flags < 32;
			cw_cmd c{};
			c.op = u8(op);
			c.flags = u8(flags);
			if (op == CW_OP_READ || op == CW_OP_WRITE || op == CW_OP_WRITE_ZEROES)
				c.len = 512;
			if (bulk)
				c.addr = 4096;
			if (in && op != CW_OP_READ)
				c.data_len = op == CW_OP_DISCARD ? 16 : 512;
			switch (op) {
			case CW_OP_READ:
				fine &= in != bulk && !(flags & ~(CW_CMD_INLINE | CW_CMD_BULK));
				break;
			case CW_OP_WRITE:
				fine &= in != bulk && !(flags & CW_CMD_NOUNMAP);
				break;
			case CW_OP_FLUSH:
				fine &= flags == 0;
				break;
			case CW_OP_DISCARD:
				fine &= in && !(flags & ~(CW_CMD_INLINE | CW_CMD_CRC));
				break;
			case CW_OP_WRITE_ZEROES:
				fine &= !(flags & ~(CW_CMD_FUA | CW_CMD_NOUNMAP));
				break;
			}
			EXPECT_EQ(parse_cmd(c), fine ? 0 : -EPROTO) << op << " flags " << flags;

			cw_limits lim = samples::limits();
			lim.features = ~u64(CW_FEATURE_CRC);
			fine &= !(flags & CW_CMD_CRC);
			EXPECT_EQ(parse_cmd(c, 2048, lim), fine ? 0 : -EPROTO)
				<< op << " flags " << flags << " without checksums";
		}
	}
}

struct CommandRule {
	const char *rule;
	cw_cmd cmd;
	std::function<void(cw_cmd &)> change;
	bool fine = false;
};

void check(const std::vector<CommandRule> &rules)
{
	for (const auto &r : rules) {
		cw_cmd cmd = r.cmd;
		ASSERT_EQ(parse_cmd(cmd), 0) << r.rule;
		r.change(cmd);
		EXPECT_EQ(parse_cmd(cmd), r.fine ? 0 : -EPROTO) << r.rule;
	}
}

TEST(Command, ReadRules)
{
	const cw_cmd in = samples::read_inline(), bulk = samples::read_bulk();
	check({
		{"empty", in, [](auto &c) { c.len = 0; }},
		{"inline size", in, [](auto &c) { c.len = 4097; }},
		{"end of 64 bits", in, [](auto &c) { c.offset = ~0ULL - 4095; }},
		{"last before it", in, [](auto &c) { c.offset = ~0ULL - 4096; }, true},
		{"wraps", in, [](auto &c) { c.offset = ~0ULL; }},
		{"data of its own", in, [](auto &c) { c.data_len = 16; }},
		{"data offset", in, [](auto &c) { c.data_off = 16; }},
		{"key", in, [](auto &c) { c.rkey = 1; }},
		{"address", in, [](auto &c) { c.addr = 1; }},
		{"bulk empty", bulk, [](auto &c) { c.len = 0; }},
		{"bulk max_io", bulk, [](auto &c) { c.len = 1U << 20; }, true},
		{"bulk above max_io", bulk, [](auto &c) { c.len = (1U << 20) + 1; }},
		{"bulk end of memory", bulk, [](auto &c) { c.addr = ~0ULL - 65535; }},
		{"bulk last before it", bulk, [](auto &c) { c.addr = ~0ULL - 65536; }, true},
		{"bulk memory wraps", bulk, [](auto &c) { c.addr = ~0ULL; }},
		{"bulk at address 0", bulk, [](auto &c) { c.addr = 0; }, true},
		{"bulk with key 0", bulk, [](auto &c) { c.rkey = 0; }, true},
		{"bulk with data", bulk, [](auto &c) { c.data_len = 65536; }},
		{"bulk with a data offset", bulk, [](auto &c) { c.data_off = 16; }},
		{"bulk of one page", bulk, [](auto &c) { c.len = 512; }, true},
		{"both", bulk,
		 [](auto &c) {
			 c.flags |= CW_CMD_INLINE;
			 c.len = 512;
		 }},
		{"neither", in, [](auto &c) { c.flags = 0; }},
	});
}

TEST(Command, OverTcpEachTransferNamesAnRkey)
{
	const cw_cmd in = samples::read_inline();
	cw_limits limits = samples::limits();
	for (cw_cmd bulk : {samples::read_bulk(), samples::write_bulk()}) {
		cw_wire_cmd rec;
		cw_cmd out;
		const auto parse = [&](const cw_cmd &cmd) {
			cw_frame f{};
			cw_pack_cmd(&rec, &cmd, limits.export_id);
			return cw_parse_cmd(&rec, &f, &limits, &out);
		};
		limits.needs_rkey = true;
		EXPECT_EQ(parse(bulk), 0);
		EXPECT_EQ(parse(in), 0);
		bulk.rkey = 0;
		EXPECT_EQ(parse(bulk), -EPROTO);
		limits.needs_rkey = false;
		EXPECT_EQ(parse(bulk), 0);
	}
}

TEST(Command, WriteRules)
{
	const cw_cmd in = samples::write_inline(), bulk = samples::write_bulk();
	check({
		{"empty", in, [](auto &c) { c.len = c.data_len = 0; }},
		{"more data than length", in, [](auto &c) { c.len = 512; }},
		{"less data than length", in, [](auto &c) { c.data_len = 512; }},
		{"data to the end of the frame", in, [](auto &c) { c.data_off = 1024; }, true},
		{"data past the frame", in, [](auto &c) { c.data_off = 1040; }},
		{"data behind the frame", in, [](auto &c) { c.data_off = 2048; }},
		{"data offset wraps", in, [](auto &c) { c.data_off = 0xfffffff0; }},
		{"data offset odd", in, [](auto &c) { c.data_off = 8; }},
		{"data offset odd by one", in, [](auto &c) { c.data_off = 513; }},
		{"key", in, [](auto &c) { c.rkey = 1; }},
		{"address", in, [](auto &c) { c.addr = 4096; }},
		{"wraps", in, [](auto &c) { c.offset = ~0ULL - 1023; }},
		{"checksum 0", in, [](auto &c) { c.crc = 0; }, true},
		{"bulk max_io", bulk, [](auto &c) { c.len = (1U << 20) + 512; }},
		{"bulk empty", bulk, [](auto &c) { c.len = 0; }},
		{"bulk memory wraps", bulk, [](auto &c) { c.addr = ~0ULL - 100; }},
		{"bulk with data", bulk, [](auto &c) { c.data_len = 1024; }},
	});

	cw_cmd big = in;
	big.len = big.data_len = 4096;
	big.data_off = 0;
	EXPECT_EQ(parse_cmd(big, 4096), 0);
	EXPECT_EQ(parse_cmd(big, 4080), -EPROTO);
	big.len = big.data_len = 4112;
	EXPECT_EQ(parse_cmd(big, 8192), -EPROTO); // larger than the link's inline size

	cw_limits small = samples::limits();
	small.max_io = 512;
	EXPECT_EQ(parse_cmd(in, 2048, small), -EPROTO);
}

TEST(Command, FlushHasNoFields)
{
	const cw_cmd f = samples::flush();
	check({
		{"length", f, [](auto &c) { c.len = 512; }},
		{"offset", f, [](auto &c) { c.offset = 512; }},
		{"data", f, [](auto &c) { c.data_len = 16; }},
		{"data offset", f, [](auto &c) { c.data_off = 16; }},
		{"key", f, [](auto &c) { c.rkey = 1; }},
		{"address", f, [](auto &c) { c.addr = 1; }},
	});
}

TEST(Command, DiscardRules)
{
	const cw_cmd d = samples::discard();
	check({
		{"length", d, [](auto &c) { c.len = 512; }},
		{"offset", d, [](auto &c) { c.offset = 512; }},
		{"key", d, [](auto &c) { c.rkey = 1; }},
		{"address", d, [](auto &c) { c.addr = 1; }},
		{"not inline", d, [](auto &c) { c.flags = 0; }},
		{"no range", d, [](auto &c) { c.data_len = 0; }},
		{"half a range", d, [](auto &c) { c.data_len = 24; }},
		{"all ranges of the limit", d, [](auto &c) { c.data_len = 64 * 16; }, true},
		{"one more", d, [](auto &c) { c.data_len = 65 * 16; }},
		{"past the frame", d, [](auto &c) { c.data_off = 2048 - 32; }},
		{"offset odd", d, [](auto &c) { c.data_off = 8; }},
	});

	// A limit of 0 means that the caller does not know the limit of the disk. Then only the
	// message limits the number of ranges.
	cw_limits lim = samples::limits();
	cw_cmd many = d;
	lim.discard_ranges = 0;
	many.data_len = 4096;
	EXPECT_EQ(parse_cmd(many, 4096, lim), 0);
	many.data_len = 4112;
	EXPECT_EQ(parse_cmd(many, 8192, lim), -EPROTO);
	many.data_len = 0;
	EXPECT_EQ(parse_cmd(many, 4096, lim), -EPROTO);
}

TEST(Command, WriteZeroesRules)
{
	const cw_cmd z = samples::write_zeroes();
	check({
		{"empty", z, [](auto &c) { c.len = 0; }},
		{"longer than max_io", z, [](auto &c) { c.len = 0xfffffe00; }, true},
		{"wraps", z, [](auto &c) { c.offset = ~0ULL - 511; }},
		{"data", z, [](auto &c) { c.data_len = 16; }},
		{"data offset", z, [](auto &c) { c.data_off = 16; }},
		{"key", z, [](auto &c) { c.rkey = 1; }},
		{"address", z, [](auto &c) { c.addr = 1; }},
	});
}

TEST(Command, MayLieAnywhere)
{
	alignas(16) u8 buf[96];
	const cw_wire_cmd rec = packed(cw_pack_cmd, samples::write_inline(), EXPORT);
	const cw_frame frame = frame_of(2048);
	const cw_limits lim = samples::limits();
	for (size_t off = 0; off < 16; off++) {
		cw_cmd out;
		memcpy(buf + off, &rec, sizeof(rec));
		EXPECT_EQ(cw_parse_cmd(reinterpret_cast<const cw_wire_cmd *>(buf + off), &frame,
				       &lim, &out),
			  0);
	}
}

// ---- ranges ----

int parse_range(u64 offset, u64 len)
{
	const cw_wire_range rec = samples::range(offset, len);
	cw_range out{1, 2};
	const int err = cw_parse_range(&rec, &out);
	EXPECT_EQ(out.offset, err ? 1 : offset);
	EXPECT_EQ(out.len, err ? 2 : len);
	return err;
}

TEST(Range, IsNotEmptyAndDoesNotWrap)
{
	EXPECT_EQ(parse_range(0, 1), 0);
	EXPECT_EQ(parse_range(1ULL << 40, 1ULL << 40), 0);
	EXPECT_EQ(parse_range(0, ~0ULL), 0);
	EXPECT_EQ(parse_range(1, ~0ULL), -EPROTO);
	EXPECT_EQ(parse_range(~0ULL, 1), -EPROTO);
	EXPECT_EQ(parse_range(~0ULL, ~0ULL), -EPROTO);
	EXPECT_EQ(parse_range(1ULL << 63, 1ULL << 63), -EPROTO);
	EXPECT_EQ(parse_range(0, 0), -EPROTO);
	EXPECT_EQ(parse_range(4096, 0), -EPROTO);
}

// ---- completions ----

int parse_done(const cw_wire_done &rec, cw_done *out)
{
	const cw_frame frame = frame_of(2048);
	const cw_limits lim = samples::limits();
	return cw_parse_done(&rec, &frame, &lim, out);
}

TEST(Completion, ArrivesAsSent)
{
	for (const cw_done &done :
	     {samples::done_data(), samples::done_plain(), samples::done_error()}) {
		cw_done out{};
		ASSERT_EQ(parse_done(packed(cw_pack_done, done), &out), 0);
		EXPECT_EQ(out.slot, done.slot);
		EXPECT_EQ(out.status, done.status);
		EXPECT_EQ(out.flags, done.flags);
		EXPECT_EQ(out.data_off, done.data_off);
		EXPECT_EQ(out.data_len, done.data_len);
		EXPECT_EQ(out.crc, done.crc);
	}
}

TEST(Completion, Rules)
{
	using Rec = cw_wire_done;
	each_harm_is_refused<cw_done, Rec>(
		packed(cw_pack_done, samples::done_data()), parse_done,
		{
			{"slot at the depth", [](Rec &r) { r.slot = le16(128); }},
			{"status unknown", [](Rec &r) { r.status = CW_STATUS_GONE + 1; }},
			{"status far", [](Rec &r) { r.status = 255; }},
			{"flag unknown", [](Rec &r) { r.flags |= 4; }},
			{"flag far", [](Rec &r) { r.flags |= 0x80; }},
			{"error with data", [](Rec &r) { r.status = CW_STATUS_IO; }},
			{"no data", [](Rec &r) { r.data_len = 0; }},
			{"past the frame", [](Rec &r) { r.data_off = le32(1040); }},
			{"too long", [](Rec &r) { r.data_len = le32(1537); }},
			{"offset odd", [](Rec &r) { r.data_off = le32(520); }},
			{"offset wraps", [](Rec &r) { r.data_off = le32(0xfffffff0); }},
			{"length wraps", [](Rec &r) { r.data_len = le32(0xffffffff); }},
			{"not inline, with data", [](Rec &r) { r.flags = CW_DONE_CRC; }},
			{"checksum without flag", [](Rec &r) { r.flags = CW_DONE_INLINE; }},
		});
	each_harm_is_refused<cw_done, Rec>(
		packed(cw_pack_done, samples::done_plain()), parse_done,
		{
			{"data length", [](Rec &r) { r.data_len = le32(16); }},
			{"data offset", [](Rec &r) { r.data_off = le32(16); }},
			{"checksum", [](Rec &r) { r.crc = le32(1); }},
		});
	each_harm_is_refused<cw_done, Rec>(
		packed(cw_pack_done, samples::done_error()), parse_done,
		{
			{"inline", [](Rec &r) { r.flags = CW_DONE_INLINE; }},
			{"flag of a checksum", [](Rec &r) { r.flags = CW_DONE_CRC; }},
			{"checksum", [](Rec &r) { r.crc = le32(1); }},
			{"data", [](Rec &r) { r.data_len = le32(16); }},
		});
	each_change_is_fine<cw_done, Rec>(
		packed(cw_pack_done, samples::done_plain()), parse_done,
		{
			{"every status 1", [](Rec &r) { r.status = CW_STATUS_IO; }},
			{"every status 7", [](Rec &r) { r.status = CW_STATUS_NOMEM; }},
			{"checksum of a bulk read",
			 [](Rec &r) {
				 r.flags = CW_DONE_CRC;
				 r.crc = le32(5);
			 }},
		});
}

TEST(Completion, ChecksumNeedsTheFeatureAndDataTheInlineSize)
{
	const cw_wire_done rec = packed(cw_pack_done, samples::done_data());
	const cw_frame frame = frame_of(2048);
	cw_limits lim = samples::limits();
	cw_done out;
	lim.features = 0;
	EXPECT_EQ(cw_parse_done(&rec, &frame, &lim, &out), -EPROTO);
	lim = samples::limits();
	lim.inline_size = 1024;
	EXPECT_EQ(cw_parse_done(&rec, &frame, &lim, &out), 0);
	lim.inline_size = 1008;
	EXPECT_EQ(cw_parse_done(&rec, &frame, &lim, &out), -EPROTO);
}

} // namespace
