/** The fields that the keys of a list can stand on in a line: those that have a column. */
import type { Look } from '../../ui/message/look';

export function lineFields({ host, program }: Look): readonly string[] {
  return [...(host.only === null ? ['host'] : []), ...(program.only === null ? ['program'] : [])];
}
