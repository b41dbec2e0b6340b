/** The listeners of the server, and what to do if one could not open a socket. */
import { useQuery } from '@tanstack/react-query';
import { isForbidden } from '../api/freshness';
import { failedListeners, listeningUrls, statusQuery } from '../api/status';
import { Notice } from '../ui/Notice';
import { isLocalOnly } from '../ui/firstMessage';
import classes from './WelcomePage.module.css';

export function Listeners() {
  const { data: status, error } = useQuery(statusQuery);
  if (status === undefined) {
    return isForbidden(error) ? (
      <Notice tone="caution" title="The port is not known to you">
        PORT stands in its place. An administrator or an operator sees it on this page.
      </Notice>
    ) : null;
  }
  const up = listeningUrls(status);
  const failed = status.sources.flatMap(({ listeners }) => failedListeners(listeners));
  return (
    <>
      {failed.map(({ url, error }) => (
        <Notice key={url} tone="caution" title={`${url} could not be opened and is tried again`}>
          {error ?? 'Another program may use the port: stop it, or give the source another one.'}
        </Notice>
      ))}
      {up.length === 0 ? (
        <Notice tone="caution" title="No source listens">
          Add one in Router, such as tcp://0.0.0.0:5514; messages can be posted over HTTP
          nevertheless.
        </Notice>
      ) : (
        <p className="row wrap gap8">
          <span className="dimmed">Logstead listens on</span>
          {up.map((url) => (
            <code key={url} className={classes.url}>
              {url}
            </code>
          ))}
        </p>
      )}
      {isLocalOnly(up) && (
        <p className="dimmed">
          Only programs on the server&rsquo;s own computer reach these: for others, give the source
          an address such as 0.0.0.0 in Router.
        </p>
      )}
    </>
  );
}
