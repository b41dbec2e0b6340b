#!/usr/bin/env python3
"""Writes log lines for measuring: RFC 5424, one line each, of common formats and of hostile ones.

Every value is generated; no text of a real log is in here. The same kind, count, seed and times give the same bytes.

kinds that are common:
  access    Apache's combined log format: addresses, users, paths with ids and query strings, user agents
  json      an application's log: one JSON object a message, sometimes with a stack trace
  firewall  key=value: devices, addresses, ports, policies, sessions, bytes, countries
kinds that are hostile, each to something that a log store may count on:
  prose     sentences and stack traces, no two alike
  random    UUIDs, hex and base64 at random places: nothing to compress
  shapes    a new sequence of words and punctuation each time: no template is seen twice
  flood     short lines of short words and numbers, nearly all different: every dictionary grows
  binary    control characters, NULs, bytes that are not UTF-8, now and then a line of up to 60 KB
"""

import argparse
import array
import base64
import datetime
import hashlib
import itertools
import json
import os
import random
import re
import sys
import time

EXAMPLES = """examples:
  python3 bench/corpora.py access --count 1000000 > access.log
  python3 bench/corpora.py json --count 1000000 --seed 2 | gzip > json.log.gz
  python3 bench/corpora.py shapes --count 200000 --span 3600 > shapes.log
  python3 bench/corpora.py --check

Python 3.9 or newer, and nothing else.
"""

# Lines that are made together and written at once. The bytes depend on it.
BLOCK = 4096
# Entries of a pool: a random 16-bit number picks one. Whatever is rarer than that does not occur in a pool.
POOL = 1 << 16
# What follows the head; the receiver's usual limit of a line is 64 KiB.
BINARY_BYTES_MAX = 60_000
LOWER = 'abcdefghijklmnopqrstuvwxyz'
BASE36 = '0123456789' + LOWER
LINE = re.compile(
    rb'<(\d|[1-9]\d|1[0-8]\d|19[01])>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([!-~]{1,255}) ([!-~]{1,48})'
    rb' ([!-~]{1,128}) - - ([^\n]*)',
    re.DOTALL,
)


class Draw:
    """Random values in columns. A column costs some 40 ns a value: a list of 65536 values that were drawn once, and
    random 16-bit numbers that say which."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def column(self, pool, count):
        numbers = array.array('H', self.random.randbytes(2 * count))
        if sys.byteorder == 'big':
            numbers.byteswap()
        return map(pool.__getitem__, numbers)

    def pool(self, values, weights=None):
        return self.random.choices(values, weights, k=POOL)

    def zipf(self, values, flatness=1):
        """The first value is the most frequent, the next half as frequent, and so on."""
        return self.pool(values, [1 / (rank + flatness) for rank in range(len(values))])

    def made(self, make):
        return [make(self.random) for _ in range(POOL)]

    def hex(self, digits, count):
        text = self.random.randbytes((digits * count + 1) // 2).hex()
        return [text[at:at + digits] for at in range(0, digits * count, digits)]


def word(of, least, most, letters=LOWER):
    return ''.join(of.choices(letters, k=of.randint(least, most)))


def words(of, count, least=2, most=11):
    """Different words that can be said: syllables."""
    starts = ['', *'b br k ch d f g gr h l m n p pl r s st t tr v'.split()]
    vowels, ends = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou'], ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'rk', 'm']
    found = {}
    while len(found) < count:
        syllables = of.choice((1, 2, 2, 3, 3, 4))
        made = ''.join(of.choice(starts) + of.choice(vowels) + of.choice(ends) for _ in range(syllables))
        if least <= len(made) <= most:
            found[made] = None
    return list(found)


def log_uniform(of, most):
    """As many numbers of two digits as of three, and so on."""
    return int(most ** of.random())


def processes(draw, hosts, programs, each=3):
    """`HOST PROGRAM PID` of some processes on each host; the first hosts say the most."""
    found = []
    for host in hosts:
        for program in programs:
            found += [f'{host} {program} {log_uniform(draw.random, 60_000) + 100}' for _ in range(each)]
    return draw.zipf(found, 3 * each)


def capital(text):
    return text[:1].upper() + text[1:]


def latin1(text):
    """A text whose characters are its bytes in UTF-8."""
    return text.encode().decode('latin-1')


class Access:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        self.process = processes(draw, [f'web-{number:02}' for number in range(24)], ['httpd'], 8)
        self.priority = draw.pool(['190', '189'], [50, 1])
        nets = ['.'.join(str(of.randint(*ends)) for ends in ((1, 223), (0, 255), (0, 255))) for _ in range(40_000)]
        self.net = draw.zipf(nets, 5)
        self.last = draw.zipf([f'.{number}' for number in of.sample(range(1, 255), 254)], 4)
        users = words(of, 3000, 4, 10)
        self.user = draw.pool([' - - ['] * 3000 + [f' - {user} [' for user in users], [2] * 3000 + [1] * 3000)
        self.method = draw.pool(['] "GET ', '] "POST ', '] "PUT ', '] "HEAD ', '] "DELETE '], [80, 14, 2, 3, 1])
        names = words(of, 400, 3, 9)
        files = [f'/{of.choice(("static", "img", "assets", "fonts"))}/{of.choice(names)}.{word(of, 8, 8, BASE36)}.{end}'
                 for end in ('js', 'css', 'png', 'svg', 'woff2', 'webp') for _ in range(60)]
        pages = ['/', '/login', '/logout', '/robots.txt', '/favicon.ico', '/health', '/search', '/cart', '/feed.xml',
                 *(f'/{of.choice(names)}/{of.choice(names)}.html' for _ in range(300))]
        whole = [(path, '', '') for path in files + pages]
        things = ['users', 'orders', 'items', 'sessions', 'invoices', 'products', 'comments', 'messages']
        numbered = [(f'/{api}{thing}/', of.choice(('', '', '/edit', '/lines', '/history', '.json')), 'id')
                    for api in ('', 'api/v1/', 'api/v2/', 'shop/') for thing in things]
        asked = [(f'{path}?{query}', '', what)
                 for path in ('/search', '/api/v2/search', '/items', '/feed')
                 for query, what in (('page=2&sort=name&id=', 'id'), ('lang=en&session=', 'hex'), ('q=', 'words'),
                                     ('utm_source=mail&q=', 'words'))]
        self.path = draw.pool(whole + numbered + asked, [
            *(30 / (1 + rank % 300) for rank in range(len(whole))), *(8 for _ in numbered), *(7 for _ in asked)])
        self.id = draw.made(lambda of: str(log_uniform(of, 4_000_000)))
        self.query = draw.made(lambda of: '+'.join(of.choices(names, k=of.randint(1, 4))))
        self.end = draw.pool([f' HTTP/{version}" {status} ' for version in ('1.1', '1.0', '2.0')
                              for status in (200, 304, 302, 404, 301, 206, 403, 500, 401, 503)],
                             [a * b for a in (70, 2, 28) for b in (800, 90, 40, 30, 15, 8, 6, 5, 4, 2)])
        self.bytes = draw.made(
            lambda of: str(of.choice((0, 162, 4523, 11_321)) if of.random() < .3 else log_uniform(of, 900_000)))
        sites = ['www.example.com', 'shop.example.com', 'search.example.net', 'news.example.org', 'm.example.com']
        self.referrer = draw.zipf([' "-" "', *(
            f' "https://{of.choice(sites)}{of.choice(pages)}{of.choice(("", "", "?q=" + of.choice(names)))}" "'
            for _ in range(2500))], 4)
        self.agent = draw.zipf([f'{agent}"' for agent in agents(of)], 6)

    def messages(self, count, clocks):
        draw = self.draw
        column = lambda pool: draw.column(pool, count)
        told = {second: time.strftime('%d/%b/%Y:%H:%M:%S +0000', time.gmtime(second)) for second in set(clocks)}
        paths = [
            path if not what else f'{path}{number if what == "id" else key if what == "hex" else query}{end}'
            for (path, end, what), number, key, query in
            zip(column(self.path), column(self.id), draw.hex(24, count), column(self.query))
        ]
        parts = zip(column(self.net), column(self.last), column(self.user), map(told.__getitem__, clocks),
                    column(self.method), paths, column(self.end), column(self.bytes), column(self.referrer),
                    column(self.agent))
        return heads(draw, self, count), map(''.join, parts)


def agents(of):
    """Some dozens of user agents, as browsers, robots and libraries say them."""
    systems = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64',
               'Linux; Android 14; Pixel 8']
    found = []
    for major in range(138, 147):
        found += [f'Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36'
                  for system in systems]
        found.append(f'Mozilla/5.0 ({systems[major % 3]}; rv:{major}.0) Gecko/20100101 Firefox/{major}.0')
    found += [f'Mozilla/5.0 (iPhone; CPU iPhone OS {major}_{minor} like Mac OS X) AppleWebKit/605.1.15'
              f' (KHTML, like Gecko) Version/{major}.{minor} Mobile/15E148 Safari/604.1'
              for major in (17, 18) for minor in range(6)]
    found += ['curl/8.5.0', 'python-requests/2.32.3', 'okhttp/4.12.0', 'Go-http-client/2.0', 'kube-probe/1.31',
              'Wget/1.21.4', 'Mozilla/5.0 (compatible; ExampleBot/2.1; +http://www.example.com/bot.html)', '-']
    of.shuffle(found)
    return found


class Json:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        services = ['orders', 'payments', 'users', 'search', 'gateway', 'stock', 'mail']
        hosts = [f'{service}-{word(of, 5, 5, BASE36)}' for service in services for _ in range(6)]
        self.process = processes(draw, hosts, ['java'], 1)
        levels = [('14', 'INFO'), ('15', 'DEBUG'), ('12', 'WARN'), ('11', 'ERROR')]
        names = words(of, 500, 3, 9)
        roles = ['Service', 'Client', 'Controller', 'Repository']
        loggers = [f'com.example.{of.choice(services)}.{capital(of.choice(names))}{of.choice(roles)}'
                   for _ in range(90)]
        threads = [*(f'http-nio-8080-exec-{number}' for number in range(1, 33)), 'scheduler-1', 'main']
        rows = [(priority, f'","level":"{level}","logger":"{logger}","thread":"{thread}","message":"')
                for priority, level in levels for logger in loggers for thread in of.sample(threads, 6)]
        share = {'14': 700, '15': 200, '12': 60, '11': 25}
        self.level = draw.pool(rows, [share[row[0]] for row in rows])
        verbs = ['created', 'fetched', 'updated', 'deleted', 'retried', 'rejected', 'sent', 'queued']
        kinds = []
        for _ in range(60):
            thing, verb, other = of.choice(names), of.choice(verbs), of.choice(names)
            kinds.append(of.choice((
                (f'{capital(thing)} ', f' {verb} in ', ' ms'),
                (f'{capital(verb)} {thing} ', ' with ', f' {other} entries'),
                (f'{thing}=', f' {other}=', f' {verb}'),
                (f'Request for \\"{thing}/', '\\" took ', ' us'),
                (f'Cache {other}: ', ' hits, ', ' misses'),
                (latin1(f'Überweisung {thing} '), latin1(f' → {other} '), latin1(f' € {verb}')),
            )))
        self.text = draw.zipf(kinds, 4)
        self.id = draw.made(lambda of: str(log_uniform(of, 90_000_000)))
        self.number = draw.made(lambda of: str(log_uniform(of, 20_000)))
        self.user = draw.zipf([str(of.randint(1000, 9_999_999)) for _ in range(50_000)], 30)
        self.ms = draw.made(lambda of: f'{of.lognormvariate(2.5, 1.4):.3f}')
        routes = [f'/{of.choice(("api", "v1", "v2"))}/{of.choice(names)}/{{id}}' for _ in range(40)]
        self.http = draw.pool([
            f',"http":{{"method":"{method}","route":"{route}","status":{status},"client":'
            f'{{"ip":"10.{of.randint(0, 40)}.{of.randint(0, 9)}.{of.randint(1, 254)}","tls":true}}}}'
            for method in ('GET', 'POST', 'PUT') for route in routes for status in (200, 200, 201, 404, 500)])
        packages = [f'{top}.{name}' for top in ('com.example', 'org.example.lib', 'java.util') for name in names]
        classes = [f'{of.choice(packages)}.{capital(of.choice(names))}{of.choice(roles)}' for _ in range(300)]
        errors = ['java.lang.NullPointerException', 'java.net.SocketTimeoutException',
                  'java.lang.IllegalStateException']

        def stack(of):
            frames = ''.join(f'\\n\\tat {name}.{of.choice(verbs)}({name.rsplit(".", 1)[1]}.java:{of.randint(10, 900)})'
                             for name in of.choices(classes, k=of.randint(6, 25)))
            return f',"stack":"{of.choice(errors)}: {of.choice(names)} {of.randint(1, 9999)}{frames}"}}'

        self.tail = draw.pool(['}'] * 29 + [stack(of) for _ in range(1500)], [2000] * 29 + [1] * 1500)

    def messages(self, count, clocks):
        draw = self.draw
        column = lambda pool: draw.column(pool, count)
        levels = list(column(self.level))
        ids = draw.hex(48, count)
        told = {second: time.strftime('{"ts":"%Y-%m-%dT%H:%M:%S.', time.gmtime(second)) for second in set(clocks)}
        thousandths = draw.column(THOUSANDTHS, count)
        texts = [
            f'{told[second]}{thousandth}Z{level}{a}{number}{b}{other}{c}","trace_id":"{key[:32]}",'
            f'"span_id":"{key[32:]}","user_id":{user},"duration_ms":{ms}{http}{tail}'
            for second, thousandth, (_, level), (a, b, c), number, other, key, user, ms, http, tail in
            zip(clocks, thousandths, levels, column(self.text), column(self.id), column(self.number), ids,
                column(self.user), column(self.ms), column(self.http), column(self.tail))
        ]
        return [(priority, process) for (priority, _), process in zip(levels, column(self.process))], texts


class Firewall:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        names = [f'fw-{site}-{number}' for site in ('east', 'west', 'lab') for number in (1, 2)]
        self.device = draw.zipf([
            (f'{name} traffic {of.randint(200, 900)}',
             f' devname="{name}" devid="FW{of.randint(10**9, 10**10 - 1)}" vd="root" type="traffic" subtype="forward"'
             ' level="notice" srcip=')
            for name in names])
        self.source = draw.zipf([f'10.{of.randint(0, 12)}.{of.randint(0, 255)}.{of.randint(1, 254)}'
                                 for _ in range(30_000)], 40)
        self.port = draw.made(lambda of: str(of.randint(1024, 65_535)))
        interfaces = ['port1', 'port2', 'port3', 'dmz', 'wan1', 'wan2', 'vpn-east']
        self.inside = draw.pool([f' srcintf="{name}" dstip=' for name in interfaces])
        self.target = draw.zipf(['.'.join(str(of.randint(1, most)) for most in (223, 254, 254, 254))
                                 for _ in range(60_000)], 20)
        services = [('443', '6', 'HTTPS'), ('53', '17', 'DNS'), ('80', '6', 'HTTP'), ('123', '17', 'NTP'),
                    ('22', '6', 'SSH'), ('445', '6', 'SMB'), ('25', '6', 'SMTP'), ('3389', '6', 'RDP'),
                    ('443', '17', 'QUIC'), ('161', '17', 'SNMP')]
        actions = [('accept', '189'), ('close', '189'), ('deny', '188'), ('timeout', '189')]
        rows = [(priority, f' dstport={port} dstintf="{of.choice(interfaces)}" proto={proto} service="{service}"'
                           f' action="{action}" policyid={policy} sessionid=')
                for port, proto, service in services for action, priority in actions
                for policy in of.sample(range(1, 400), 12)]
        self.what = draw.zipf(of.sample(rows, len(rows)), 10)
        countries = ['United States', 'Germany', 'Japan', 'Brazil', 'India', 'France', 'Kenya', 'Canada', 'Viet Nam']
        self.country = draw.zipf([f' srccountry="Reserved" dstcountry="{country}" duration=' for country in countries])
        self.duration = draw.made(lambda of: str(log_uniform(of, 4000)))
        self.bytes = draw.made(lambda of: str(log_uniform(of, 30_000_000)))
        self.packets = draw.made(lambda of: str(log_uniform(of, 9000)))
        self.session = of.randrange(10**8)

    def messages(self, count, clocks):
        draw = self.draw
        column = lambda pool: draw.column(pool, count)
        told = {second: time.strftime('date=%Y-%m-%d time=%H:%M:%S', time.gmtime(second)) for second in set(clocks)}
        devices, whats = list(column(self.device)), list(column(self.what))
        sessions = range(self.session, self.session + 7 * count, 7)
        self.session += 7 * count
        texts = [
            f'{told[second]}{device}{source} srcport={port}{inside}{target}{what}{session + int(packets) % 7}{country}'
            f'{duration} sentbyte={sent} rcvdbyte={received} sentpkt={packets}'
            for second, (_, device), source, port, inside, target, (_, what), session, country, duration, sent,
            received, packets in
            zip(clocks, devices, column(self.source), column(self.port), column(self.inside), column(self.target),
                whats, sessions, column(self.country), column(self.duration), column(self.bytes), column(self.bytes),
                column(self.packets))
        ]
        return [(priority, process) for (priority, _), (process, _) in zip(whats, devices)], texts


class Prose:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        self.process = processes(draw, [f'host-{number:03}' for number in range(200)], ['notes', 'app', 'worker'])
        self.priority = draw.pool(['14', '13', '12', '11'], [70, 15, 10, 5])
        common = ('the of and to in is that it was for on are with as at be this have from or by not but what all were'
                  ' when we there can an your which their if will each about how up out them then many some so').split()
        self.word = draw.zipf(common + words(of, 30_000), 8)
        self.length = draw.made(lambda of: of.randint(6, 28))
        self.separator = draw.pool([' ', ', ', '; ', ' - ', ': '], [90, 7, 1, 1, 1])
        self.end = draw.pool(['.', '!', '?', ''], [80, 5, 5, 10])

    def messages(self, count, clocks):
        draw, of = self.draw, self.draw.random
        lengths = list(draw.column(self.length, count))
        said = list(draw.column(self.word, sum(lengths)))
        separators = list(draw.column(self.separator, count))
        texts, at = [], 0
        for length, separator, end, kind in zip(lengths, separators, draw.column(self.end, count), of.randbytes(count)):
            mine = said[at:at + length]
            at += length
            if kind < 60:
                texts.append(trace(mine, of))
            else:
                middle = 1 + kind % (length - 1)
                texts.append(f'{capital(" ".join(mine[:middle]))}{separator}{" ".join(mine[middle:])}{end}')
        return heads(draw, self, count), texts


def trace(said, of):
    """A stack trace on one line, as many senders write it."""
    frames = [f'at {a}.{b}.{capital(c)}.{d}({capital(c)}.java:{of.randrange(1, 2000)})'
              for a, b, c, d in zip(said[2::4], said[3::4], said[4::4], said[5::4])]
    return f'{capital(said[0])}{capital(said[1])}Exception: {" ".join(said[2:6])}#012#011' + '#012#011'.join(frames)


class Random:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        self.process = processes(draw, [f'host-{number:03}' for number in range(100)], ['vault', 'tokens'])
        self.priority = draw.pool(['86', '38', '14'])
        self.word = draw.zipf(words(of, 300, 3, 9), 5)
        self.forms = draw.made(lambda of: of.choices('wwubxhs', k=of.randint(3, 9)))

    def messages(self, count, clocks):
        draw = self.draw
        forms = list(draw.column(self.forms, count))
        noise = draw.random.randbytes(16 * sum(map(len, forms)) + 16)
        common = draw.column(self.word, sum(map(len, forms)))
        texts, at = [], 0
        for form in forms:
            parts = []
            for kind in form:
                bytes16, first = noise[at:at + 16], noise[at]
                at += 16
                if kind == 'w':
                    parts.append(next(common))
                elif kind == 'u':
                    key = bytes16.hex()
                    parts.append(f'{key[:8]}-{key[8:12]}-4{key[13:16]}-a{key[17:20]}-{key[20:]}')
                elif kind == 'b':
                    parts.append(base64.b64encode(bytes16[:4 + first % 13]).decode())
                elif kind == 's':
                    parts.append(base64.urlsafe_b64encode(bytes16[:6 + first % 7]).decode().rstrip('='))
                elif kind == 'x':
                    parts.append('0x' + bytes16[:1 + first % 8].hex())
                else:
                    parts.append(hashlib.sha256(bytes16).hexdigest() if first < 40 else bytes16[:2 + first % 15].hex())
            texts.append(' '.join(parts))
        return heads(draw, self, count), texts


class Shapes:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        self.process = processes(draw, [f'host-{number:03}' for number in range(200)], ['one', 'two', 'three'])
        self.priority = draw.pool(['14', '30', '134'])
        self.word = draw.zipf(words(of, 60_000), 200)
        marks = [' ', ' ', ' ', ' ', ', ', ': ', '; ', ' (', ') ', ' [', '] ', '=', '/', '-', ' -> ', '.', ' "', '" ',
                 ' | ', '#', ' <', '> ', '_', '@', '\t', ' {', '} ', '&', '%', '!']
        self.mark = draw.pool(marks)
        self.length = draw.made(lambda of: of.randint(7, 24))

    def messages(self, count, clocks):
        draw = self.draw
        lengths = list(draw.column(self.length, count))
        *ends, total = itertools.accumulate(lengths, initial=0)
        pieces = list(map(''.join, zip(draw.column(self.word, total), draw.column(self.mark, total))))
        texts = [''.join(pieces[at:at + length]).rstrip() for at, length in zip(ends, lengths)]
        return heads(draw, self, count), texts


class Flood:
    def __init__(self, draw):
        self.draw = draw
        self.part = draw.made(lambda of: word(of, 1, 3, BASE36))
        self.count = draw.made(lambda of: of.randint(1, 4))
        self.number = draw.made(lambda of: str(of.randrange(10 ** of.randint(1, 7))))
        self.priority = [str(at % 192) for at in range(POOL)]

    def messages(self, count, clocks):
        draw = self.draw
        column = lambda pool, times=1: draw.column(pool, times * count)
        short = list(map(''.join, zip(column(self.part, 7), column(self.part, 7))))
        numbers = list(column(self.number, 4))
        texts = [' '.join(pair for at in range(first, first + length) for pair in (short[at], numbers[at]))
                 for first, length in zip(range(0, 4 * count, 4), column(self.count))]
        # Who says it differs each time, too.
        said = list(zip(short[4 * count:5 * count], short[5 * count:6 * count], numbers))
        return zip(column(self.priority), (f'{host} {program} {pid}' for host, program, pid in said)), texts


class Binary:
    def __init__(self, draw):
        of = draw.random
        self.draw = draw
        self.process = processes(draw, [f'host-{number:03}' for number in range(40)], ['probe', 'modem'])
        self.priority = draw.pool(['14', '27', '191', '0'])
        self.word = words(of, 2000)
        # A line ends at a newline, so all other bytes may stand in it.
        self.newlines = bytes.maketrans(b'\n', b'\x0b')
        self.bad = [bytes(part).decode('latin-1') for part in (
            b'\xff\xfe', b'\xc0\x80', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xe2\x82', b'\x80', b'\x00',
            b'\x00\x00\x00', b'\x1b[31m', b'\x07', b'\x7f', b'\t', b'\x0b', b'\r', b'\xef\xbb\xbf', b'\xc2\x85')] + [
            latin1(text) for text in ('日本', 'Ä', '\u2028', '😀', 'e\u0301', '\u202e')]

    def messages(self, count, clocks):
        draw, of = self.draw, self.draw.random
        noise = lambda length: of.randbytes(length).translate(self.newlines).decode('latin-1')
        texts = []
        for kind in of.randbytes(count):
            if kind < 80:
                text = noise(of.randint(0, 200))
            elif kind < 250:
                text = ''.join(of.choice(self.word) + (of.choice(self.bad) if of.random() < .4 else ' ')
                               for _ in range(of.randint(1, 16)))
            elif of.random() < .95:
                text = ''
            elif of.random() < .5:
                text = noise(of.randint(1000, BINARY_BYTES_MAX))
            else:
                text = (of.choice(self.word) + of.choice(self.bad)) * BINARY_BYTES_MAX
            texts.append(text[:BINARY_BYTES_MAX])
        return heads(draw, self, count), texts


KINDS = {'access': Access, 'json': Json, 'firewall': Firewall, 'prose': Prose, 'random': Random, 'shapes': Shapes,
         'flood': Flood, 'binary': Binary}
THOUSANDTHS = [f'{number % 1000:03}' for number in range(POOL)]


def heads(draw, kind, count):
    """Priority and `HOST PROGRAM PID` of each message."""
    return zip(draw.column(kind.priority, count), draw.column(kind.process, count))


def blocks(kind, count, seed, start, span):
    """The bytes of the corpus, some thousand lines at a time. The times rise by about the same step."""
    draw = Draw(f'{kind} {seed}')
    maker = KINDS[kind](draw)
    step = max(span * 10**6 // max(count, 1), 1)
    for first in range(0, count, BLOCK):
        rows = min(BLOCK, count - first)
        jitters = draw.column(range(POOL), rows)
        micros = [at * step + jitter * step // POOL for at, jitter in enumerate(jitters, first)]
        clocks = [start + micro // 10**6 for micro in micros]
        said, texts = maker.messages(rows, clocks)
        told = {second: time.strftime('%Y-%m-%dT%H:%M:%S.', time.gmtime(second)) for second in set(clocks)}
        yield ''.join([
            f'<{priority}>1 {told[second]}{micro % 10**6:06}Z {process} - - {text}\n'
            for (priority, process), second, micro, text in zip(said, clocks, micros, texts)
        ]).encode('latin-1')


def check():
    """Makes some lines of each kind, and looks whether they are what is promised."""
    count = BLOCK + 100
    start, span = 1_793_491_200, 86_400
    for kind in KINDS:
        made = lambda seed: b''.join(blocks(kind, count, seed, start, span))
        begun = time.perf_counter()
        corpus = made(1)
        took = time.perf_counter() - begun
        assert corpus == made(1), f'{kind}: the same seed gave other bytes'
        assert corpus != made(2), f'{kind}: another seed gave the same bytes'
        lines = corpus.split(b'\n')
        assert lines.pop() == b'' and len(lines) == count, f'{kind}: {len(lines)} lines of {count}'
        found = [LINE.fullmatch(line) for line in lines]
        wrong = [line for line, match in zip(lines, found) if not match]
        assert not wrong, f'{kind}: {len(wrong)} lines are not RFC 5424, such as {wrong[0][:200]!r}'
        times = [match[2] for match in found]
        assert times == sorted(times), f'{kind}: the times do not rise'
        for moment in (times[0], times[-1]):
            seconds = datetime.datetime.strptime(moment.decode(), '%Y-%m-%dT%H:%M:%S.%f%z').timestamp() - start
            assert 0 <= seconds <= span, f'{kind}: {moment!r} is out of the span'
        texts = [match[6] for match in found]
        if kind in ('prose', 'random', 'shapes'):
            assert len(set(texts)) == count, f'{kind}: a message comes twice'
        if kind == 'json':
            assert all(isinstance(json.loads(text), dict) for text in texts)
        if kind == 'binary':
            assert max(map(len, lines)) < 64 << 10 and any(b'\0' in text for text in texts)
        else:
            assert all(text.decode().strip() for text in texts), f'{kind}: a message is empty'
        print(f'{kind:9}{len(corpus) / count:5.0f} bytes a line, {count} lines in {took * 1000:.0f} ms')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('kind', nargs='?', choices=KINDS, help='what is written to standard output')
    add('--count', type=int, default=1_000_000, help='the number of lines (default 1000000)')
    add('--seed', type=int, default=1, help='other seeds give other values (default 1)')
    add('--start', type=int, default=1_793_491_200, help="the first line's time in Unix seconds (default 2026-11-01)")
    add('--span', type=int, default=86_400, help='the seconds that the lines are spread over (default a day)')
    add('--check', action='store_true', help='make some lines of each kind and look at them; write none')
    asked = parser.parse_args()
    if asked.check:
        return check()
    if asked.kind is None:
        parser.error('say a kind, or --check')
    out = sys.stdout.buffer
    try:
        for block in blocks(asked.kind, asked.count, asked.seed, asked.start, asked.span):
            out.write(block)
        out.flush()
    except BrokenPipeError:
        # Who reads has seen enough. Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


if __name__ == '__main__':
    main()
