/** Blocks of the documentation on the screen. */
import type { ReactNode } from 'react';
import type { DocumentId } from '../topics';
import { linkOf } from './links';
import { type Block, runsOf } from './markdown';
import classes from './Guide.module.css';

type Props = { document: DocumentId; blocks: readonly Block[] };

export function Blocks({ document, blocks }: Props) {
  return blocks.map((block, at) => (
    // The parts of one text never change places.
    <BlockView key={at} document={document} block={block} />
  ));
}

function BlockView({ document, block }: { document: DocumentId; block: Block }) {
  const words = (text: string) => <Words document={document} text={text} />;
  switch (block.kind) {
    case 'heading':
      return <Heading block={block} />;
    case 'text':
      return <p>{words(block.text)}</p>;
    case 'code':
      return (
        <pre className={classes.code} tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{words(item)}</li>);
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <div className="scrollX" tabIndex={0} role="group" aria-label="Table">
          <table className={classes.table}>
            <thead>
              <tr>
                {block.head.map((cell, at) =>
                  cell === '' ? (
                    <td key={at} />
                  ) : (
                    <th key={at} scope="col">
                      {words(cell)}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{words(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

/** The page has its own title: what is the first heading of a document is one below it. */
function Heading({ block: { level, text, anchor } }: { block: Block & { kind: 'heading' } }) {
  if (level === 1) return <h2 id={anchor}>{text}</h2>;
  if (level === 2) return <h3 id={anchor}>{text}</h3>;
  return <h4 id={anchor}>{text}</h4>;
}

function Words({ document, text }: { document: DocumentId; text: string }): ReactNode {
  return runsOf(text).map((run, at) => {
    switch (run.kind) {
      case 'plain':
        return run.text;
      case 'code':
        return <code key={at}>{run.text}</code>;
      case 'strong':
        return <b key={at}>{run.text}</b>;
      case 'emphasis':
        return <em key={at}>{run.text}</em>;
      case 'link': {
        const href = linkOf(run.to, document);
        // A document that the console does not have: its words are still worth reading.
        if (href === null) return run.text;
        return (
          <a key={at} href={href}>
            {run.text}
          </a>
        );
      }
    }
  });
}
