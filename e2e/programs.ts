/** Lines as various programs write them, with invented hosts, people and addresses. */

const MINUTE_MS = 60_000;

/** The time this many minutes ago, in the format of a message. */
export function ago(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE_MS).toISOString();
}

const AUTH_INFO = 38;
const AUTH_ERR = 35;
const DAEMON_INFO = 30;
const LOCAL_INFO = 134;
const LOCAL_ERR = 131;

interface Sent {
  minutes: number;
  host: string;
}

export function loginFailed({ minutes, host }: Sent, user: string, address: string): string {
  const port = 40_000 + Math.round(minutes * 10);
  return `<${AUTH_INFO}>1 ${ago(minutes)} ${host} sshd ${port} - - Failed password for invalid user ${user} from ${address} port ${port} ssh2`;
}

export function loginAccepted({ minutes, host }: Sent, user: string): string {
  return `<${AUTH_INFO}>1 ${ago(minutes)} ${host} sshd 812 - - Accepted publickey for ${user} from 10.0.3.7 port 50022 ssh2: ED25519`;
}

export function sudo({ minutes, host }: Sent, user: string, command: string): string {
  return `<${AUTH_ERR}>1 ${ago(minutes)} ${host} sudo - - - ${user} : command not allowed ; TTY=pts/0 ; PWD=/srv ; USER=root ; COMMAND=${command}`;
}

export function cron({ minutes, host }: Sent): string {
  return `<${DAEMON_INFO}>1 ${ago(minutes)} ${host} cron 77 - - (root) CMD (test -x /usr/sbin/rotate && rotate)`;
}

export function nginx({ minutes, host }: Sent, path: string, status: number): string {
  return `<${LOCAL_INFO}>1 ${ago(minutes)} ${host} nginx 900 - - "GET ${path} HTTP/1.1" ${status} 512 0.012`;
}

/** Key-value pairs, as FortiGate firewalls send them. */
export function firewall({ minutes, host }: Sent, source: string, action: string): string {
  const [date = '', time = ''] = ago(minutes).split(/[T.]/);
  return `<189>date=${date} time=${time} tz="+0000" devname="${host}" devid="FG100E00000001" logid="0000000013" type="traffic" level="notice" srcip=${source} dstip=198.51.100.4 dstport=443 action="${action}" policyid=7`;
}

/** A service that writes JSON. */
export function shop(
  { minutes, host }: Sent,
  of: { path: string; took: number; status: number; order: number },
): string {
  const { path, took, status, order } = of;
  const isBad = status >= 500;
  const said = {
    level: isBad ? 'error' : 'info',
    msg: isBad ? 'payment declined' : 'payment sent',
    ...{ order, path, status },
    took: `${took}ms`,
  };
  return `<${isBad ? LOCAL_ERR : LOCAL_INFO}>1 ${ago(minutes)} ${host} shop 31 - - ${JSON.stringify(said)}`;
}

export function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
