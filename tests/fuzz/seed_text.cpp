// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of text.cpp, valid and long ones of each kind: files and the output of programs.
#include "command_inputs.h"
#include "seed.h"

using std::to_string;

namespace
{

void write(fuzz::TextKind kind, const std::string &name, const std::string &text)
{
	fuzz::write_seed("text", name, char(kind) + text);
}

void dropins()
{
	write(fuzz::TEXT_EXPORT, "export-device",
	      "# of a database\n[export]\ndevice = /dev/vg0/scratch\n"
	      "uuid = 01234567-89ab-4cde-8f01-23456789abcd\nread-only = no\nexclusive = yes\n"
	      "write-through = on\nallow = 10.0.0.0/24\nallow = fd00::/64\n"
	      "key-file = /etc/causeway/key\ntakeover-after = 60\n"
	      "state-folder = /srv/state\nledger = 11234567-89ab-4cde-8f01-23456789abcd\n");
	write(fuzz::TEXT_EXPORT, "export-ram", "[export]\nram = 1536M\nread-only = true\n");
	write(fuzz::TEXT_EXPORT, "export-file", "[export]\r\nfile=/srv/disk 1.img # here\r\n");
	write(fuzz::TEXT_EXPORT, "export-wrong", "[export]\ndevise = /dev/sda\n");
	write(fuzz::TEXT_ATTACHMENT, "attachment",
	      "[attachment]\nserver = [fd00::1]:4800\nname = scratch\nqueues = 4\n"
	      "poll-queues = 1\ndepth = 128\nio-timeout = 60\nfast-fail = off\n"
	      "key-file = /etc/causeway/key\n");
	write(fuzz::TEXT_ATTACHMENT, "attachment-plain",
	      "[attachment]\nserver = storage1\nname = scratch\nfast-fail = 3\n");
	write(fuzz::TEXT_NFS_RULE, "nfs-rule",
	      "[nfs-rule]\nnetwork = 10.0.0.0/8\nfrom = 10.0.0.1\nfrom = 10.0.1.1\n");
	write(fuzz::TEXT_NFS_RULE, "nfs-rule-ipv6",
	      "[nfs-rule]\nnetwork = fd00::/64\nfrom = fd00::2\n");
	write(fuzz::TEXT_INSTANCE, "instance",
	      "[instance]\nuuid = 01234567-89ab-4cde-8f01-23456789abcd\n"
	      "boot = 11234567-89ab-4cde-8f01-23456789abcd\nclean = yes\n");

	std::string networks = "[export]\ndevice = /dev/vg0/scratch\n";
	for (int i = 0; i < 200; i++)
		networks += "allow = 10.0." + to_string(i) + ".0/24\n";
	write(fuzz::TEXT_EXPORT, "export-long", networks);
}

void stock()
{
	write(fuzz::TEXT_STOCK_EXPORT, "stock-export",
	      "[stock-export]\nvia = nvme\ndevice = /dev/vg0/scratch\nread-only = yes\n"
	      "initiator = nqn.2014-08.org.nvmexpress:uuid:01234567-89ab-4cde-8f01-23456789abcd\n"
	      "target = nqn.2014-08.org.nvmexpress.storage1:scratch\naddress = 0.0.0.0\n"
	      "port = 4420\nuuid = 01234567-89ab-4cde-8f01-23456789abcd\n");
	write(fuzz::TEXT_STOCK_EXPORT, "stock-export-iser",
	      "[stock-export]\nvia = iser\nram = 1536M\n"
	      "initiator = iqn.1993-08.org.debian:01:abc\ninitiator = eui.02004567a425678d\n"
	      "target = iqn.2003-01.org.linux-iscsi.storage1:scratch\naddress = fd00::1\n"
	      "port = 3260\nuuid = 01234567-89ab-4cde-8f01-23456789abcd\n");
	write(fuzz::TEXT_STOCK_EXPORT, "stock-export-srp",
	      "[stock-export]\nvia = srp\nfile = /srv/disk 1.img\n"
	      "initiator = 0002:C903:0010:1235\ntarget = 0x0002c90300101234\n"
	      "address = 10.0.0.1\nport = 5555\nuuid = 01234567-89ab-4cde-8f01-23456789abcd\n");
	write(fuzz::TEXT_STOCK_EXPORT, "stock-export-scsi",
	      "[stock-export]\nvia = iscsi\nscsi = /dev/sg1\n"
	      "target = naa.52004567ba64678d\naddress = 10.0.0.1\nport = 3260\n"
	      "uuid = 01234567-89ab-4cde-8f01-23456789abcd\n");
	write(fuzz::TEXT_STOCK_ATTACHMENT, "stock-attachment",
	      "[stock-attachment]\nvia = nvme\nserver = [fd00::1]:4420\nname = scratch\n"
	      "target = nqn.2014-08.org.nvmexpress.storage1:scratch\n");
	write(fuzz::TEXT_STOCK_ATTACHMENT, "stock-attachment-srp",
	      "[stock-attachment]\nvia = srp\nserver = storage1\nname = scratch\n"
	      "target = fe80:0000:0000:0000:0002:c903:0010:1234\nhost = host7\n");
	const std::string folder = "/sys/kernel/config/nvmet/subsystems/nqn.2014-08.org.x:a b";
	write(fuzz::TEXT_STEPS, "steps",
	      "# a comment\nshared\t/sys/kernel/config/nvmet\t\t\nfolder\t" + folder +
		      "\t\t\nvalue\t" + folder + "/attr_allow_any_host\t1\t0\nlink\t" + folder +
		      "/l\t" + folder + "\t\n");
	write(fuzz::TEXT_DISCOVERY, "discovery-iscsi",
	      "10.0.0.1:3260,1 iqn.2003-01.org.linux-iscsi.storage1:scratch\n"
	      "[fd00::1]:3260,1 iqn.2003-01.org.linux-iscsi.storage1:scratch\n"
	      "10.0.0.1:3260,1 eui.02004567a425678d\nno portals found\n");
	write(fuzz::TEXT_DISCOVERY, "discovery-nvme",
	      "{\"genctr\":2,\"records\":[{\"trtype\":\"rdma\",\"subnqn\":"
	      "\"nqn.2014-08.org.nvmexpress.storage1:scratch\"},{\"subnqn\":7},{\"other\":1},"
	      "{\"subnqn\":\"nqn.\\u001b[2J\"}]}");
}

void interface()
{
	write(fuzz::TEXT_INTERFACE, "interface",
	      "[interface]\nbackend = nm\nmode = connected\nmtu = 65520\n"
	      "address = 10.0.0.1/24\naddress = fd00::1/64\ngateway = 10.0.0.254\n"
	      "gateway = fe80::1\ndns = 10.0.0.53\ndns = fd00::53\n");
	write(fuzz::TEXT_INTERFACE, "interface-child",
	      "[interface]\nbackend = ifupdown\nparent = ib0\npkey = 0x8001\n"
	      "mode = datagram\nmtu = 2044\n");
}

void json()
{
	write(fuzz::TEXT_JSON, "json-addresses",
	      "[{\"ifname\":\"eth0\",\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":9000,"
	      "\"addr_info\":[{\"family\":\"inet\",\"local\":\"10.1.2.77\","
	      "\"prefixlen\":20,\"scope\":\"global\"},{\"family\":\"inet6\","
	      "\"local\":\"fd00::5\",\"prefixlen\":64,\"scope\":\"global\"}]}]");
	write(fuzz::TEXT_JSON, "json-users",
	      "[{\"ifname\":\"rxe0\",\"pdn\":2,\"users\":3,\"comm\":\"[nvme_rdma]\"},"
	      "{\"ifname\":\"rxe0\",\"pdn\":1,\"users\":0,\"comm\":\"ib_core\"},"
	      "{\"ifname\":\"rxe0\",\"ctxn\":0,\"pid\":12,\"comm\":\"rping\"}]");
	write(fuzz::TEXT_JSON, "json-other-types",
	      "[{\"ifname\":7},{\"ifname\":\"rxe0\",\"pid\":\"12\",\"comm\":7},"
	      "{\"ifname\":\"eth0\",\"mtu\":\"9000\",\"addr_info\":[7]}]");
	write(fuzz::TEXT_JSON, "json-chains",
	      "{\"nftables\":[{\"metainfo\":{\"json_schema_version\":1}},{\"chain\":{"
	      "\"family\":\"ip\",\"table\":\"filter\",\"name\":\"INPUT\","
	      "\"type\":\"filter\",\"hook\":\"input\",\"prio\":0}}]}");
	write(fuzz::TEXT_JSON, "json-walk",
	      "{\"nftables\":[{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"in\","
	      "\"type\":\"filter\",\"hook\":\"input\",\"policy\":\"drop\"}},"
	      "{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"on\"}},"
	      "{\"set\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"s\",\"elem\":[{\"prefix\":"
	      "{\"addr\":\"10.0.0.0\",\"len\":8}}]}},"
	      "{\"rule\":{\"family\":\"inet\",\"table\":\"t\",\"chain\":\"in\",\"handle\":1,\"expr\":["
	      "{\"vmap\":{\"key\":{\"ct\":{\"key\":\"state\"}},\"data\":{\"set\":[[\"new\","
	      "{\"jump\":{\"target\":\"on\"}}]]}}}]}},"
	      "{\"rule\":{\"family\":\"inet\",\"table\":\"t\",\"chain\":\"on\",\"handle\":2,\"expr\":["
	      "{\"match\":{\"op\":\"!=\",\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}},"
	      "\"right\":\"@s\"}},{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"udp\","
	      "\"field\":\"dport\"}},\"right\":{\"range\":[4000,5000]}}},{\"drop\":null}]}}]}");
	write(fuzz::TEXT_JSON, "json-clients",
	      "[{\"ifname\":\"rxe0\",\"state\":\"CONNECT\",\"src-addr\":\"10.0.0.1:4420\","
	      "\"dst-addr\":\"10.0.0.2:60355\"}]");
	write(fuzz::TEXT_JSON, "json-rules",
	      "{\"nftables\":[{\"rule\":{\"family\":\"inet\",\"table\":\"filter\","
	      "\"chain\":\"input\",\"handle\":7,\"comment\":\"causeway:4793/tcp\"}}]}");
}

void subnet()
{
	std::string rules = "# as opensm(8) says\nDefault=0x7fff, ipoib : ALL=full, SELF=full ;\n"
			    "Net = 0x8001, rate=7, mtu=5, defmember=limited :\n"
			    "    0x0002c90300101234 = full,\n    ALL ;\n"
			    "multicast=2 :\nmgid=ff12:401b::1,sl=1\nSELF=full;\n=12,indx0:;;\n";
	write(fuzz::TEXT_PARTITIONS, "partitions", rules);
	for (int i = 1; i < 200; i++)
		rules += "p" + to_string(i) + "=" + to_string(i) + ", ipoib : ALL=full ;\n";
	write(fuzz::TEXT_PARTITIONS, "partitions-long", rules);

	write(fuzz::TEXT_BAD_LINKS, "bad-links",
	      "0x0000000000100006 \"  host-3\"  5    1[  ] ==( 4X  2.5 Gbps Active/  LinkUp)==>  "
	      "0x0000000000200001  4    1[  ] \"SW2\" (Could be 12X Could be 10.0 Gbps)\n"
	      "0x0000000000200001 \"     SW2\"  4    1[  ] ==( 4X  2.5 Gbps Active/  LinkUp)==>  "
	      "0x0000000000100006  5    1[  ] \"host-3\" (Could be 12X Could be 10.0 Gbps)\n"
	      "0x0000000000200001 \"     SW2\"  4    2[  ] ==(   Down/ Polling)==>  [  ] \"\" ( "
	      ")\n");
	write(fuzz::TEXT_PKEY_TABLES, "pkey-tables",
	      "PKeyTableRecord dump:\n\t\tLID........................2\n"
	      "\t\tPort.......................1\n\t\tPKey Table:\n"
	      "\t\t0xffff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n"
	      "\t\tLID........................5\n"
	      "\t\t0xffff 0x0001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n");
	write(fuzz::TEXT_GROUPS, "groups",
	      "MCMemberRecord group dump:\n\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
	      "\t\tMlid....................0xC000\n\t\tMtu.....................0x84\n"
	      "\t\tpkey....................0xFFFF\n\t\tRate....................0x83\n"
	      "\t\tSL......................0x0\n");
}

void topologies()
{
	write(fuzz::TEXT_TOPOLOGY, "topology",
	      "# Topology file\nvendid=0x0\nswitchguid=0x200001(200001)\n"
	      "Switch\t8 \"S-0000000000200001\"\t\t# \"SW2\" base port 0 lid 4 lmc 0\n"
	      "[1]\t\"H-0000000000100005\"[1](100006) \t\t# \"host-3\" lid 5 4xSDR\n\n"
	      "Ca\t1 \"H-0000000000100005\"\t\t# \"host-3\"\n"
	      "[1](100006) \t\"S-0000000000200001\"[1]\t\t# lid 5 lmc 0 \"SW2\" lid 4 4xSDR\n\n"
	      "Rt\t2 \"R-0000000000300005\"\t\t# \"router\"\n");
	std::string fabric;
	for (int i = 0; i < 60; i++) {
		const std::string number = to_string(10000 + i);
		fabric += "Ca\t1 \"H-00000000001" + number + "\"\t\t# \"host-" + number + "\"\n" +
			  "[1](2" + number + ") \t\"S-0000000000200001\"[" + to_string(i + 1) +
			  "]\t\t# lid " + to_string(i + 2) + " lmc 0 \"SW2\" lid 1 4xEDR\n";
	}
	write(fuzz::TEXT_TOPOLOGY, "topology-long", fabric);
}

void mounts()
{
	const std::string options =
		"rw,vers=4.2,rsize=1048576,proto=rdma,port=20049,sec=sys,addr=10.0.0.1";
	std::string list = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n", stats;
	const auto add = [&](const std::string &name) {
		list += "40 22 0:41 / /mnt/" + name + " rw,nosuid shared:20 - nfs4 server:/srv/" +
			name + " " + options + "\n";
		stats += "device server:/srv/" + name + " mounted on /mnt/" + name +
			 " with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2\n"
			 "\txprt:\trdma 0 0 3 0 12 500 499 0 0 0 1 2 3\n"
			 "\txprt:\ttcp 832 1 1 0 0 11 11 0 11 0\n";
	};
	add("my\\040home");
	write(fuzz::TEXT_MOUNTS, "mounts", list + '\0' + stats);
	for (int i = 0; i < 25; i++)
		add(to_string(i));
	write(fuzz::TEXT_MOUNTS, "mounts-long", list + '\0' + stats);
}

void exports()
{
	write(fuzz::TEXT_NFS_EXPORTS, "exports",
	      "# by hand\n/srv 10.0.0.0/24(rw,sync,fsid=0) @group(ro) \\\n *.lab\n"
	      "\"/my home\" -ro,fsid=root host1 fd00::/64(rw,fsid=0x11) (ro) # rest\r\n"
	      "/esc\\040aped\\011\t*(rw,fsid=5cbe11f0-0000-4000-8000-00000000000a)\n/bare\n");
	write(fuzz::TEXT_NFS_EXPORTS, "exports-ours",
	      "# Written by \"causeway nfs serve\"; \"causeway nfs unserve\" removes it.\n# allow any\n"
	      "/srv *(rw,sync,no_subtree_check,fsid=5cbe11f0-0000-4000-8000-00000000000a)\n");
	write(fuzz::TEXT_NFS_EXPORTS, "exports-cut", "\"/open \\04 a(rw,fsid=");
	std::string table;
	for (int i = 0; i < 60; i++)
		table += "/srv/" + to_string(i) + "\t10.0." + to_string(i) +
			 ".0/24(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,fsid=" +
			 to_string(i) + ",anonuid=65534,anongid=65534,sec=sys)\n";
	write(fuzz::TEXT_NFS_EXPORTS, "exports-table", table);
	write(fuzz::TEXT_NFS_EXPORTS, "nfs-conf", "[nfsd]\nrdma=y\nrdma-port=20049\n");
}

void host()
{
	write(fuzz::TEXT_MODULES, "modules", "# of causeway\nib_umad\n  rdma_ucm \n; no\n");
	write(fuzz::TEXT_FIREWALL, "firewalld", "22/tcp 5000-6000/udp 4793");
	write(fuzz::TEXT_FIREWALL, "firewalld-zones",
	      "storage\n  interfaces: eth0 eth1\n  sources: 10.0.0.0/24\npublic (default)\n  interfaces: eth2\n");
	write(fuzz::TEXT_FIREWALL, "open-port", "4791/udp from 10.0.0.0/24");
	write(fuzz::TEXT_FIREWALL, "firewalld-rule",
	      "rule family=\"ipv4\" source address=\"10.0.0.0/24\" port port=\"4791\" protocol=\"udp\" accept\n");
	write(fuzz::TEXT_FIREWALL, "ufw",
	      "Status: active\n\nTo                         Action      From\n"
	      "22/tcp                     ALLOW       Anywhere\n"
	      "20000:20100/tcp            ALLOW       Anywhere\n"
	      "Anywhere                   ALLOW       10.0.0.0/8\n");
	write(fuzz::TEXT_FIREWALL, "nftables",
	      "table inet filter {\n\tchain input {\n"
	      "\t\ttype filter hook input priority filter; policy drop;\n"
	      "\t\tct state established,related accept\n\t\tiif \"lo\" accept\n"
	      "\t\tmeta l4proto { tcp, udp } th dport 4793 accept\n"
	      "\t\tudp dport { 4791, 20049 } accept\n\t\tip saddr 10.0.0.0/8 accept\n"
	      "\t\tjump more\n\t\tcounter packets 0 bytes 0 drop\n\t}\n}\n");
	write(fuzz::TEXT_HOST_FILES, "modinfo",
	      "filename:       /lib/modules/6.1.0-18-amd64/updates/dkms/causeway.ko\n"
	      "vermagic:       6.1.0-18-amd64 SMP preempt mod_unload modversions \n"
	      "signer:         DKMS module signing key\n");
	write(fuzz::TEXT_HOST_FILES, "soft-unit",
	      "[Service]\n"
	      "ExecStart=/usr/sbin/causeway soft add rxe eth0 --name rxe0 --at-boot\n");
	write(fuzz::TEXT_HOST_FILES, "limits",
	      "Max locked memory         8388608              8388608    bytes\n"
	      "@rdma - memlock unlimited\n* soft memlock 4194304 # 4 GiB\n");
	write(fuzz::TEXT_HOST_FILES, "netlink",
	      "sk               Eth Pid        Groups   Rmem\n"
	      "0000000056f3c2b1 20  1          00000008 0\n");
	write(fuzz::TEXT_HOST_FILES, "interfaces",
	      "[connection]\ninterface-name=ib0\n[infiniband]\ntransport-mode=connected\n"
	      "[Match]\nName=ib1\nMode=connected\niface ib2 inet static\n"
	      "  pre-up echo connected >/sys/class/net/ib2/mode\n");
	write(fuzz::TEXT_HOST_FILES, "udev",
	      "ATTR{address}==\"80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34\", "
	      "NAME=\"ib0\"\n");
	write(fuzz::TEXT_HOST_FILES, "qperf",
	      "rc_bw:\n    bw           =  1234567890 bytes/sec\n    msg_size     =  65536 "
	      "bytes\n");
	write(fuzz::TEXT_HOST_FILES, "fio",
	      R"({"jobs":[{"error":0,"read":{"bw_bytes":158242269,"iops":38633.4,"total_ios":38672,)"
	      R"("clat_ns":{"mean":19573.8,"percentile":{"50.000000":17280,"99.000000":46848}}},)"
	      R"("write":{"io_bytes":0},"trim":{"io_bytes":0}}]})"
	      "\n");
	int number = 0;
	for (const char *name :
	     {"storage1", "10.0.0.1:4800", "[fd00::1]:4800", "fe80::1%eth0",
	      "storage1:4800/scratch", "10.0.0.0/24", "fd00::/64",
	      "ro,vers=4.2,port=20050,tcp-port=2050,require=rdma,rdma-timeout=30",
	      "storage1:/srv/home", "[fd00::1]:/"})
		write(fuzz::TEXT_NAME, "name-" + to_string(number++), name);
}

} // namespace

void fuzz::text_seeds()
{
	dropins();
	stock();
	interface();
	json();
	subnet();
	topologies();
	mounts();
	exports();
	host();
}
