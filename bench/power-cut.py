#!/usr/bin/env python3
"""Cuts the power under a server again and again, and then looks for every message that it had acknowledged.

The data directory is on a file system of its own, in an image on a loop device. EXT4_IOC_SHUTDOWN (the same ioctl for
XFS) drops everything that is not on the disk by then, as a power cut does. The server is stopped before that and killed
after it: an fsync that is under way meanwhile may return success for what ext4 then drops, which no power cut can do, as
nothing would run any more. A route only forwards, over RELP to a second server: away in one round and there in the next. At the end everything that senders over
RELP and HTTP were told is stored must have arrived there.

Needs root, loop devices, mkfs.ext4 or mkfs.xfs, Python 3.8, and `cargo build --release -p logstead`.
"""

import argparse
import collections
import fcntl
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SHUTDOWN = 0x8004587D
WITHOUT_LOG_FLUSH = 2
TOKEN = 'power-cut'
STEP_WAIT_MAX = 60
NUMBER = re.compile(rb'seq: (\d+), thread: (\d+), runid: (\d+)')

SENDER = """version = 1
[[sources]]
id = "relp"
kind = "relp"
listen = ["relp://127.0.0.1:0"]
[[sources]]
id = "http"
kind = "http"
[[logspaces]]
id = "main"
[[destinations]]
id = "out"
kind = "relp"
to = "relp://127.0.0.1:{port}"
format = "raw"
[[routes]]
id = "all"
to = ["out"]
"""

RECEIVER = """version = 1
[[sources]]
id = "relp"
kind = "relp"
listen = ["relp://127.0.0.1:{port}"]
[[logspaces]]
id = "main"
[[routes]]
id = "all"
to = ["main"]
"""


class Disk:
    """A file system in an image."""

    def __init__(self, folder, kind):
        self.image, self.folder = folder / 'image', folder / 'disk'
        self.folder.mkdir()
        with open(self.image, 'wb') as image:
            image.truncate(512 << 20)
        force = {'ext4': '-F', 'xfs': '-f'}[kind]
        run('mkfs.' + kind, '-q', force, self.image)

    def mount(self):
        run('mount', '-o', 'loop', self.image, self.folder)
        assert self.folder.stat().st_dev != os.stat('/').st_dev, 'this is the disk of the system'

    def cut(self):
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, SHUTDOWN, struct.pack('I', WITHOUT_LOG_FLUSH))
        finally:
            os.close(folder)

    def unmount(self):
        run('umount', self.folder)


class Server:
    """A server on a data directory."""

    def __init__(self, binary, data, router):
        arguments = ['serve', '--data', data, '--router', router, '--set', 'web.listen=127.0.0.1:0']
        environment = dict(os.environ, LOGSTEAD_ADMIN_TOKEN=TOKEN)
        self.process = subprocess.Popen([binary, *arguments, '--set', 'log.level=error'],
                                        env=environment, stdout=subprocess.PIPE, text=True)
        self.urls = {}
        for line in self.process.stdout:
            if line.startswith('listening: '):
                source, url = line.split()[1:]
                self.urls[source] = url
            elif line.startswith('ready: console '):
                self.urls['http'] = line.split()[2]
                return
        raise SystemExit('the server ended before it was ready')

    def get(self, path):
        url = self.urls['http'] + '/api/v1' + path
        return urllib.request.urlopen(urllib.request.Request(url, headers={'Authorization': 'Bearer ' + TOKEN}))

    def destination(self):
        return json.load(self.get('/router/status'))['destinations'][0]

    def stop(self):
        """Nothing of it runs after this, and it has told nobody anything that is not on the disk by now."""
        self.process.send_signal(signal.SIGSTOP)
        tasks = Path(f'/proc/{self.process.pid}/task')
        state = lambda task: (task / 'stat').read_text().rpartition(') ')[2][0]
        while not all(state(task) == 'T' for task in tasks.iterdir()):
            time.sleep(0.001)

    def kill(self):
        self.process.kill()
        self.process.wait()


def run(*command):
    subprocess.run(command, check=True)


def free_port():
    """Below those that the kernel gives to connections."""
    while True:
        port = random.randrange(12000, 30000)
        with socket.socket() as listener:
            try:
                listener.bind(('127.0.0.1', port))
                return port
            except OSError:
                continue


def load(binary, url, number, rate):
    arguments = ['--active-connections=2', f'--rate={rate}', '--window=256', '--batch=50', '--interval=60',
                 f'--token={TOKEN}', f'--run-id={number}', '--acknowledged', '--quiet']
    return number, subprocess.Popen([binary, 'loadgen', url, *arguments], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True)


def acknowledged(number, process):
    """The messages that a load was told are stored: the first ones of each connection."""
    out, _ = process.communicate(timeout=STEP_WAIT_MAX)
    for line in out.splitlines():
        if line.startswith('thread,'):
            _, thread, _, count = line.split(',')
            yield from ((sequence, int(thread), number) for sequence in range(int(count)))


def closed(server):
    """What the ledger says; ends the run if it does not add up."""
    while True:
        flow = json.load(server.get('/flow?from=-1d'))
        if flow['total']['in_flight'] == 0:
            break
        time.sleep(0.1)
    wrong = [row for row in flow['rows'] + flow['destinations'] if row['remainder'] != 0 or row.get('source') == '?']
    if wrong:
        raise SystemExit(f'the ledger does not add up: {wrong}')
    return flow['total']


def drained(server):
    """Waits until nothing waits, as long as it becomes less."""
    left, since = None, time.monotonic()
    while left != 0:
        now = server.destination()['queue_messages']
        if now != left:
            left, since = now, time.monotonic()
        if STEP_WAIT_MAX < time.monotonic() - since:
            raise SystemExit(f'{left} messages wait and are not sent: {server.destination()["last_error"]}')
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', default='target/release/logstead')
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--rate', type=int, default=5000, help='messages a second of each of four connections')
    parser.add_argument('--file-system', choices=['ext4', 'xfs'], default='ext4')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='power-cut-') as folder:
        folder, port, told = Path(folder), free_port(), []
        sender, receiver = folder / 'sender.toml', folder / 'receiver.toml'
        sender.write_text(SENDER.format(port=port))
        receiver.write_text(RECEIVER.format(port=port))
        there = lambda: Server(given.binary, folder / 'receiver', receiver)
        disk = Disk(folder, given.file_system)
        for number in range(given.rounds):
            disk.mount()
            server = Server(given.binary, disk.folder / 'data', sender)
            found = server.destination()['queue_messages']
            books = closed(server)
            if books['forwarded'] < len(told):
                raise SystemExit(f'{len(told)} were acknowledged, and the ledger has {books["forwarded"]}')
            other = there() if number % 2 else None
            loads = [load(given.binary, server.urls[source], 2 * number + at, given.rate)
                     for at, source in enumerate(['relp', 'http'])]
            time.sleep(random.uniform(0.3, 2.0))
            server.stop()
            disk.cut()
            server.kill()
            before = len(told)
            for one in loads:
                told.extend(acknowledged(*one))
            if other:
                other.kill()
            disk.unmount()
            print(f'cut {number + 1}: {len(told) - before} acknowledged before it, '
                  f'{found} waited at the start, the destination was {"there" if other else "away"}', flush=True)
        disk.mount()
        server, other = Server(given.binary, disk.folder / 'data', sender), there()
        try:
            drained(server)
            books = closed(server)
            text = other.get('/export?query=*&format=raw').read()
        finally:
            server.kill()
            other.kill()
            disk.unmount()
        arrived = collections.Counter(tuple(map(int, match)) for match in NUMBER.findall(text))
        missing = [number for number in told if number not in arrived]
        doubles = sum(arrived.values()) - len(arrived)
        print(f'{len(told)} acknowledged, {len(missing)} of them missing, {len(arrived)} arrived, {doubles} doubles')
        print(f'the ledger adds up after every cut: {books["received"]} received, {books["forwarded"]} forwarded, '
              f'{books["unacknowledged"]} lost unacknowledged')
        if missing:
            sys.exit(f'missing: {missing[:10]}')
        if len(told) < 1000 * given.rounds:
            sys.exit('so few were acknowledged that this proves little')


if __name__ == '__main__':
    main()
