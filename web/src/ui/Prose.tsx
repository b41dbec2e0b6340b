/** A text from the server as prose. */
import { Fragment } from 'react';
import { proseParts } from './prose';

export function Prose({ text }: { text: string }) {
  return proseParts(text).map((part, at) =>
    // The parts of a text never change their order.
    part.isCode ? (
      <code className="mono" key={at}>
        {part.text}
      </code>
    ) : (
      <Fragment key={at}>{part.text}</Fragment>
    ),
  );
}
