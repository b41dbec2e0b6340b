/** The commands that send a newcomer's first message. */

const DEFAULT_PORT = '5514';

/** `logger` over TCP where something listens on it, else over UDP. */
export function loggerCommand(listeners: readonly string[], host: string): string {
  const tcp = portOf(listeners, 'tcp');
  const udp = portOf(listeners, 'udp');
  const useUdp = tcp === undefined && udp !== undefined;
  const port = tcp ?? udp ?? DEFAULT_PORT;
  return `logger -n ${host} -P ${port} ${useUdp ? '-d' : '-T'} 'hello logstead'`;
}

export function curlCommand(origin: string): string {
  return `curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: text/plain' --data 'hello logstead' ${origin}/api/v1/ingest`;
}

function portOf(listeners: readonly string[], scheme: string): string | undefined {
  const url = listeners.find((listener) => listener.startsWith(`${scheme}://`));
  return url === undefined ? undefined : /:(\d+)$/.exec(url)?.[1];
}
