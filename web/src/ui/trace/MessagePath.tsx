/**
 * The path of a message through the router: where it ends up, what each route and step did with it,
 * and why.
 */
import { Anchor } from '@mantine/core';
import type { Shown, Trace, TraceRoute } from '../../api/query';
import { MessageChanges } from './MessageChanges';
import { outcomeText } from './targets';
import classes from './MessagePath.module.css';

type Props = {
  trace: Trace;
  /**
   * The address of a route, given its position in the document; without it, routes are not links.
   */
  linkTo?: (at: number) => string;
};

export function MessagePath({ trace, linkTo }: Props) {
  return (
    <>
      <p>
        Ends up in <b>{outcomeText(trace.outcome)}</b>.
      </p>
      <ol className={classes.routes}>
        {trace.routes.map((route, at) => (
          <li key={route.id} data-taken={route.verdict === 'taken'}>
            {linkTo === undefined ? (
              <b>{route.id}</b>
            ) : (
              <Anchor href={linkTo(at)} fw={600} underline="always">
                {route.id}
              </Anchor>
            )}{' '}
            {route.verdict === 'taken' ? 'takes it' : 'does not take it'}
            <p className="dimmed">{route.why}</p>
            <Steps route={route} before={trace.message} />
            {route.verdict === 'taken' && (
              <p>
                {route.to.length > 0 ? `Sent to ${route.to.join(', ')}` : 'Sent nowhere'}
                {route.final && ', and no later route sees it'}.
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Steps({ route, before }: { route: TraceRoute; before: Shown }) {
  const steps = route.steps.map((step, at) => ({
    ...step,
    was: route.steps.slice(0, at).findLast(({ after }) => after !== undefined)?.after ?? before,
  }));
  return (
    <ol className={classes.steps}>
      {steps.map(({ step, kind, verdict, why, was, after }) => (
        <li key={step}>
          {kind}: <b>{verdict}</b> <span className="dimmed">{why}</span>
          {verdict === 'changed' && after !== undefined && (
            <MessageChanges before={was} after={after} />
          )}
        </li>
      ))}
    </ol>
  );
}
