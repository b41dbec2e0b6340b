import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The receiver of a destination: it accepts lines over HTTP, except those that contain `poison`.
 */
export class Collector {
  readonly lines: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        const isRefused = body.includes('poison');
        if (!isRefused) collector.lines.push(...body.split('\n').filter((line) => line !== ''));
        response.writeHead(isRefused ? 400 : 200).end(isRefused ? 'no poison here' : 'taken');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/lines`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
