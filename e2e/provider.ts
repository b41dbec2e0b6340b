/** A real OpenID provider (panva's oidc-provider) on a free port of this machine, with its own pages for logging in. */
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import Provider, { type JWKS } from 'oidc-provider';

export const client = { id: 'logstead', secret: 'a secret with % and : in it' };

type Algorithm = 'RS256' | 'ES256';

/** The groups of each person that the provider knows. */
const people: Readonly<Record<string, readonly string[]>> = {
  ana: ['staff', 'log-readers'],
  ops: ['Log-Operators'],
  cy: ['staff'],
};

export class OpenIdProvider {
  private server: Server | undefined;

  private constructor(
    readonly port: number,
    private readonly redirect: string,
    private readonly algorithm: Algorithm,
  ) {}

  /** Starts a provider; `redirect` is the address to which it may send browsers back. */
  static async start(redirect: string, algorithm: Algorithm = 'RS256'): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(await freePort(), redirect, algorithm);
    await provider.begin();
    return provider;
  }

  /** This differs from the address of the console: for a browser it is another site. */
  get issuer(): string {
    return `http://localhost:${this.port}`;
  }

  /** Gives the provider other keys, as in a rotation. It forgets who was logged in. */
  async rotate(): Promise<void> {
    await this.stop();
    await this.begin();
  }

  async stop(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (server === undefined) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private async begin(): Promise<void> {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [this.redirect],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          id_token_signed_response_alg: this.algorithm,
        },
      ],
      jwks: newKeys(),
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      cookies: { keys: ['a key of a test'] },
      pkce: { required: () => true },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: `id of ${id}`, preferred_username: id, groups: people[id] ?? [] }),
      }),
    });
    const server = createServer((request, response) => void provider.callback()(request, response));
    this.server = server;
    server.listen(this.port, 'localhost');
    await once(server, 'listening');
  }
}

/** New keys of both kinds, each with a name of its own. */
function newKeys(): JWKS {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  return {
    keys: [
      { ...rsa.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' },
      { ...ec.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' },
    ],
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
