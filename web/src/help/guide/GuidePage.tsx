/**
 * The documentation of the tasks in the console, taken from the repository's files, which are its
 * only source.
 */
import { type ReactNode, useEffect } from 'react';
import consoleText from '../../../../docs/console.md?raw';
import licencesText from '../../../../docs/licences.md?raw';
import queryText from '../../../../docs/query-language.md?raw';
import routerText from '../../../../docs/router.md?raw';
import { Notice } from '../../ui/Notice';
import { follow, useOpen, address } from '../../ui/open';
import type { GuideState } from '../helpParams';
import { type DocumentId, documents, guideAddress, guidePlace } from '../topics';
import { type Block, readMarkdown, runsOf } from './markdown';
import { linkOf } from './links';
import classes from './Guide.module.css';

const texts: Record<DocumentId, string> = {
  console: consoleText,
  'query-language': queryText,
  router: routerText,
  licences: licencesText,
};

export function GuidePage({ state }: { state: GuideState }) {
  const { document: shown, part } = guidePlace(state);
  const open = useOpen();
  const blocks = readMarkdown(texts[shown]);
  const headings = blocks.filter((block) => block.kind === 'heading');
  const isThere = part === '' || headings.some(({ anchor }) => anchor === part);
  useEffect(() => {
    const heading = part === '' ? null : document.getElementById(part);
    heading?.scrollIntoView({ block: 'start' });
  }, [shown, part]);
  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      <h1>Help</h1>
      <div className="listAndContent">
        <nav className={classes.contents} aria-label="Contents">
          {documents.map(({ id, title }) => (
            <div key={id}>
              <a
                href={guideAddress({ document: id, part: '' })}
                aria-current={id === shown && part === '' ? 'page' : undefined}
              >
                {title}
              </a>
              {id === shown && (
                <ul>
                  {headings
                    .filter(({ level }) => level === 2)
                    .map(({ anchor, text }) => (
                      <li key={anchor}>
                        <a
                          href={guideAddress({ document: id, part: anchor })}
                          aria-current={anchor === part ? 'page' : undefined}
                        >
                          {text}
                        </a>
                      </li>
                    ))}
                </ul>
              )}
            </div>
          ))}
          <a href={address('/help/api')}>The API</a>
        </nav>
        <article className={classes.text}>
          {!isThere && (
            <Notice tone="info" title="This version of the guide has no such part">
              Here is the whole of it.
            </Notice>
          )}
          <Blocks document={shown} blocks={blocks} />
        </article>
      </div>
    </div>
  );
}

type Props = { document: DocumentId; blocks: readonly Block[] };

/** Renders blocks of the documentation. */
function Blocks({ document, blocks }: Props) {
  return blocks.map((block, at) => (
    // The parts of a text never change their order.
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
        <pre className="pad8x12 scroll mono line18 sunken bordered round6" tabIndex={0}>
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

/** A heading. The page has a title of its own, so headings of a document are one level lower. */
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
        // The linked document is not in the console, but the words of the link are still shown.
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
