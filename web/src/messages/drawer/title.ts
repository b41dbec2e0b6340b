/** The title of an open message, and whether it contains the whole message. */
import type { Message } from '../../api/model';
import { smartOf } from '../../ui/message/smart';
import { cut } from '../../ui/message/text';

/** Maximum length of a title; longer text is meant to be read in full. */
const TITLE_CHARACTERS_MAX = 200;

/** The message in a single line of words. */
export function titleOf(message: Message): string {
  const { title } = smartOf(message);
  const [first = ''] = title.split(/\n|\\n/u, 1);
  return first === '' ? message.id : cut(first, TITLE_CHARACTERS_MAX).text;
}

export function isAllSaid(message: Message): boolean {
  const text = message.message.trim();
  return text === '' || text === titleOf(message).trim();
}
