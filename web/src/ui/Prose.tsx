/** A text of the server as prose. */
import { Fragment } from 'react';
import { proseParts } from './prose';

export function Prose({ text }: { text: string }) {
  return proseParts(text).map((part, at) =>
    // The parts of one text never change places.
    part.isCode ? (
      <code className="mono" key={at}>
        {part.text}
      </code>
    ) : (
      <Fragment key={at}>{part.text}</Fragment>
    ),
  );
}
