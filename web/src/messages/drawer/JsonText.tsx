/** JSON with colours for names, numbers and keywords. */
import { memo } from 'react';
import { visible } from '../../ui/message/text';
import classes from './JsonText.module.css';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/gu;

export const JsonText = memo(function JsonText({ text }: { text: string }) {
  return text.split('\n').map((line, at) => (
    <span key={at}>
      {coloured(line)}
      {'\n'}
    </span>
  ));
});

function coloured(line: string) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [all, string, colon] = match;
    if (match.index > end) parts.push(visible(line.slice(end, match.index)));
    end = match.index + all.length;
    const kind = colon !== undefined ? 'name' : string !== undefined ? 'string' : kindOf(all);
    parts.push(
      <span key={match.index} className={classes[kind]}>
        {visible(all)}
      </span>,
    );
  }
  return [...parts, visible(line.slice(end))];
}

function kindOf(token: string): 'number' | 'word' {
  return /^[a-z]/u.test(token) ? 'word' : 'number';
}
