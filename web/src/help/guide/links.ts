/** The console's addresses for links in the documentation. Pure. */
import { type DocumentId, documents, guideAddress } from '../topics';
import { address } from '../../ui/open';

/**
 * `router.md#logspaces` is a part of a document that the console has; null for documents that it
 * does not have.
 */
export function linkOf(to: string, from: DocumentId): string | null {
  if (/^https?:/.test(to)) return to;
  const [, file = '', part = ''] = /^([^#]*)(?:#(.*))?$/.exec(to) ?? [];
  if (file === '') return guideAddress({ document: from, part });
  if (file === 'api.md') return address('/help/api');
  if (file === 'agents.md') return address('/send');
  const document = documents.find(({ id }) => `${id}.md` === file)?.id;
  return document === undefined ? null : guideAddress({ document, part });
}
