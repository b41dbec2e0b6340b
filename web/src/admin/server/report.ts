/** The parts of a support report, and the name of its file. */

export type Section = { title: string; body: string };

const HEAD = /^=== (.+) ===$/;

export function sectionsOf(text: string): readonly Section[] {
  const sections: { title: string; lines: string[] }[] = [{ title: 'What it is', lines: [] }];
  for (const line of text.split('\n')) {
    const title = HEAD.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, body: lines.join('\n').trim() }));
}

export function fileName(at: Date): string {
  return `logstead-support-${at.toISOString().slice(0, 19).replaceAll(':', '-')}.txt`;
}
