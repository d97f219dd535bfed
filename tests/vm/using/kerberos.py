# SPDX-License-Identifier: GPL-2.0-or-later
"""Kerberos for scenarios: a realm whose KDC runs on one host, and both hosts in it as machines that
use NFS."""

REALM = "RIG.TEST"
KEYTAB = "/etc/krb5.keytab"
# The encryption types that the kernel of Linux 6.1 supports.
TYPES = "aes256-cts-hmac-sha1-96 aes128-cts-hmac-sha1-96"

KRB5 = f"""
[libdefaults]
default_realm = {REALM}
dns_lookup_realm = false
dns_lookup_kdc = false
dns_canonicalize_hostname = false
rdns = false
permitted_enctypes = {TYPES}
[realms]
{REALM} = {{
    kdc = %s
}}
"""
KDC = f"""
[kdcdefaults]
kdc_ports = 88
[realms]
{REALM} = {{
    database_name = /var/lib/krb5kdc/principal
    key_stash_file = /var/lib/krb5kdc/stash
    supported_enctypes = {" ".join(kind + ":normal" for kind in TYPES.split())}
}}
"""


def start(kdc, client):
    """Start a KDC and an NFS server on one host, and a client on the other. Call this before
    anything is mounted."""
    for host in kdc, client:
        host.write("/etc/krb5.conf", KRB5 % kdc.name)
        host.run("modprobe rpcsec_gss_krb5")
    kdc.write("/etc/krb5kdc/kdc.conf", KDC)
    kdc.run("mkdir -p /var/lib/krb5kdc && kdb5_util create -s -P secret && krb5kdc", timeout=120)
    for host in kdc, client:
        kdc.run(f"kadmin.local -q 'addprinc -randkey nfs/{host.name}' && "
                f"kadmin.local -q 'ktadd -k /tmp/{host.name}.keytab nfs/{host.name}'", timeout=60)
        keys = kdc.run(f"base64 -w 0 /tmp/{host.name}.keytab").out.strip()
        host.run(f"echo {keys} | base64 -d >{KEYTAB} && chmod 600 {KEYTAB}")
    kdc.run("rpc.svcgssd")
    client.run("rpc.gssd")


def stop(kdc, client):
    client.run("pkill -x rpc.gssd; rm -f /tmp/krb5cc_machine_* /etc/krb5.keytab /etc/krb5.conf")
    kdc.run("pkill -x rpc.svcgssd; pkill -x krb5kdc; rm -rf /var/lib/krb5kdc /etc/krb5.keytab /etc/krb5.conf /tmp/*.keytab")
