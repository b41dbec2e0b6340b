import { once } from 'node:events';
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request as ask,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that serves a server below a path of its host, among other things. */
export class Proxy {
  /** Requests for other paths of the host. */
  readonly strays: string[] = [];
  /** The address of the server, once it runs. */
  target: string | undefined;

  private constructor(
    private readonly server: Server,
    private readonly prefix: string,
    /** Whether requests keep the whole path, or only the part after the prefix. */
    private readonly keeps: boolean,
  ) {}

  static async start(prefix: string, keeps: boolean): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server, prefix, keeps);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      proxy.pass(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The URL at which a browser has to request a page of the server. */
  url(path: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.prefix}${path}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', method, headers } = request;
    if (this.target === undefined || !(url + '/').startsWith(`${this.prefix}/`)) {
      this.strays.push(`${method} ${url}`);
      response.writeHead(404).end('something else');
      return;
    }
    const rest = url.slice(this.prefix.length);
    const path = this.keeps ? url : rest.startsWith('/') ? rest : `/${rest}`;
    const { hostname, port } = new URL(this.target);
    const passed = ask({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  }
}
