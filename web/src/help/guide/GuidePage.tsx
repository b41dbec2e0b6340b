/** The documentation of what one does in the console, read from the repository's: it is written there and nowhere else. */
import { useEffect } from 'react';
import consoleText from '../../../../docs/console.md?raw';
import licencesText from '../../../../docs/licences.md?raw';
import queryText from '../../../../docs/query-language.md?raw';
import routerText from '../../../../docs/router.md?raw';
import { Notice } from '../../ui/Notice';
import { follow, useOpen, address } from '../../ui/open';
import type { GuideState } from '../helpParams';
import { type DocumentId, documents, guideAddress, guidePlace } from '../topics';
import { Blocks } from './Blocks';
import { readMarkdown } from './markdown';
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
      <div className={classes.columns}>
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
