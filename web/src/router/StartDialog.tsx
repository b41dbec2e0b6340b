/**
 * A dialog for a change that another page requested: describes it, and asks for what is missing.
 */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { FormEnd } from '../ui/Form';
import type { Start } from './routerParams';
import { type Trace, requestTrace } from '../api/query';
import { SelectField } from '../ui/Fields';

type Props = {
  start: Start;
  /** The names of the routes, in order. */
  routes: readonly string[];
  onRoute: () => void;
  onMute: (route: number) => void;
  onClose: () => void;
};

export function StartDialog({ start, routes, onRoute, onMute, onClose }: Props) {
  const isMute = start.kind === 'mute';
  return (
    <Dialog
      opened
      onClose={onClose}
      title={isMute ? 'Mute in a route' : 'A route from this search'}
    >
      <p>
        {isMute
          ? 'A step is added to the draft. It drops what matches, for the targets of its route:'
          : 'A route is added to the draft. It takes what matches:'}
      </p>
      <p className="code">{start.query === '' ? 'everything' : start.query}</p>
      {isMute ? (
        <Mute of={start.of} routes={routes} onMute={onMute} onClose={onClose} />
      ) : (
        <FormEnd mt={12} action="Add the route" onAct={onRoute} onCancel={onClose} />
      )}
    </Dialog>
  );
}

type MuteProps = Pick<Props, 'routes' | 'onMute' | 'onClose'> & { of: string | null };

/**
 * The choice of a route: only those that take the message are offered, as no other route could drop
 * it.
 */
function Mute({ of, routes, onMute, onClose }: MuteProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const trace = useQuery({
    queryKey: ['router', 'mute', of],
    queryFn: (): Promise<Trace> => requestTrace({ id: of ?? '' }),
    enabled: of !== null,
    retry: false,
  });
  if (trace.isLoading) return <Skeleton height={56} mt={12} aria-label="Loading" />;
  const taking = (trace.data?.routes ?? [])
    .filter(({ verdict }) => verdict === 'taken')
    .map(({ id }) => id)
    .filter((id) => routes.includes(id));
  const offered = taking.length > 0 ? taking : routes;
  const route = chosen ?? offered[0] ?? '';
  return (
    <>
      <SelectField
        mt={12}
        size="sm"
        label="Route"
        description={aboutRoutes(taking.length, trace.data !== undefined)}
        value={route}
        data={[...offered]}
        onChange={setChosen}
      />
      <FormEnd
        mt={12}
        action="Add the step"
        isReady={routes.length > 0}
        onAct={() => onMute(routes.indexOf(route))}
        onCancel={onClose}
      />
    </>
  );
}

function aboutRoutes(taking: number, isTraced: boolean): string {
  if (!isTraced) return 'Any route: it is not known which of them take such messages.';
  if (taking === 0) return 'No route takes the message now. These are all routes.';
  return taking === 1
    ? 'The only route that takes the message.'
    : `The ${taking} routes that take the message. The others go on sending it.`;
}
