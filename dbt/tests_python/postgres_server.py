"""A PostgreSQL server of its own for the tests: private data directory, loopback only, any free port."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c listen_addresses=127.0.0.1"


class PostgresServer:
    def __init__(self):
        self.binaries = newest_binaries()
        self.folder = Path(tempfile.mkdtemp(prefix="ai-billing-postgres-"))
        self.port = free_port()
        if os.geteuid() == 0:  # the server refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)

    def start(self) -> None:
        self.command("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync")
        options = f"{SETTINGS} -c port={self.port} -c unix_socket_directories={self.folder}"
        self.command("pg_ctl", "start", "--wait", "--log", self.folder / "log", "--options", options)

    def stop(self) -> None:
        self.command("pg_ctl", "stop", "--mode=immediate")
        shutil.rmtree(self.folder)

    def ask_for_password(self, user: str) -> None:
        """From now on this user needs a password; all other users need none."""
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all {user} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        self.command("pg_ctl", "reload")

    def command(self, name: str, *arguments) -> None:
        command = [self.binaries / name, "--pgdata", self.folder / "data", *arguments]
        user = {"user": "postgres", "cwd": self.folder} if os.geteuid() == 0 else {}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **user)


def newest_binaries() -> Path:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not versions:
        raise RuntimeError("PostgreSQL is not installed (Debian package postgresql)")
    return versions[-1].parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
