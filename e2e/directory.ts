/** A real directory (OpenLDAP's slapd) on a free port of this machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './provider';

const suffix = 'dc=example,dc=org';
const service = { dn: `cn=logstead,${suffix}`, password: 'service password' };
const slapd = '/usr/sbin/slapd';

/** The people in the directory, and the groups of each. */
const people = { ana: ['operators'], bo: ['readers'], cy: [] } as const;
/** The password of everybody in the directory. */
export const password = 'correct horse';

export class Directory {
  private daemon: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<Directory> {
    const folder = await mkdtemp(join(tmpdir(), 'logstead-ldap-'));
    const directory = new Directory(folder, await freePort());
    await directory.fill();
    await directory.begin();
    return directory;
  }

  /** The settings with which Logstead uses the directory. */
  get settings(): string {
    return `
[[accounts.ldap]]
id = "corp"
url = "ldap://127.0.0.1:${this.port}"
user_base = "ou=people,${suffix}"
user_filter = "(uid={name})"
bind_dn = "${service.dn}"
bind_password_file = "${join(this.folder, 'password')}"
group_base = "ou=groups,${suffix}"
timeout = "5s"

[[accounts.ldap.grants]]
group = "operators"
role = "operator"

[[accounts.ldap.grants]]
group = "readers"
role = "analyst"
logspaces = ["main"]
scope = "program:app"
`;
  }

  async begin(): Promise<void> {
    const arguments_ = ['-d', '0', '-f', join(this.folder, 'slapd.conf'), '-h', this.url];
    this.daemon = spawn(slapd, arguments_, { stdio: 'ignore' });
    while (!(await this.listens())) {
      if (this.daemon.exitCode !== null) throw new Error('slapd has ended');
    }
  }

  /** Stops the directory, as in an outage. */
  async end(): Promise<void> {
    if (this.daemon === undefined || this.daemon.exitCode !== null) return;
    this.daemon.kill();
    await once(this.daemon, 'exit');
  }

  async remove(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get url(): string {
    return `ldap://127.0.0.1:${this.port}`;
  }

  private async fill(): Promise<void> {
    const at = (name: string) => join(this.folder, name);
    await mkdir(at('database'));
    await writeFile(at('password'), `${service.password}\n`);
    await writeFile(
      at('slapd.conf'),
      [
        ...['core', 'cosine', 'inetorgperson'].map((it) => `include /etc/ldap/schema/${it}.schema`),
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        `pidfile ${at('pid')}`,
        'database mdb',
        `suffix ${suffix}`,
        `directory ${at('database')}`,
        'access to attrs=userPassword by anonymous auth by * none',
        `access to * by dn.exact=${service.dn} read by * none`,
        '',
      ].join('\n'),
    );
    await writeFile(at('entries.ldif'), entries());
    const added = ['-T', 'add', '-f', at('slapd.conf'), '-l', at('entries.ldif')];
    await promisify(execFile)(slapd, added);
  }

  private async listens(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    const answer = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return answer;
  }
}

function entries(): string {
  const unit = (name: string) =>
    `dn: ou=${name},${suffix}\nobjectClass: organizationalUnit\nou: ${name}\n`;
  const person = (uid: string) =>
    `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\n` +
    `sn: ${uid}\nuserPassword: ${password}\n`;
  const group = (name: string) =>
    `dn: cn=${name},ou=groups,${suffix}\nobjectClass: groupOfNames\ncn: ${name}\n` +
    Object.entries(people)
      .filter(([, groups]) => (groups as readonly string[]).includes(name))
      .map(([uid]) => `member: uid=${uid},ou=people,${suffix}\n`)
      .join('');
  return [
    `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`,
    unit('people'),
    unit('groups'),
    `dn: ${service.dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\n` +
      `cn: logstead\nuserPassword: ${service.password}\n`,
    ...Object.keys(people).map(person),
    group('operators'),
    group('readers'),
  ].join('\n');
}
