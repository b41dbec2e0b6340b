/** The evidence that a sender writes its times in another zone, and the way to set it right. */
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Sender } from '../api/model';
import { sendersQuery } from '../api/senders';
import { Notice } from '../ui/Notice';
import { formatCount } from '../ui/number';
import { toast } from '../ui/toast';
import { lengthText } from './senders';
import { setTimezone } from './sendersQueries';
import { zonesWith } from './zones';
import classes from './Panel.module.css';

type Props = { sender: Sender; zone: NonNullable<Sender['zone']>; mayChange: boolean };

export function ZoneCard({ sender, zone, mayChange }: Props) {
  const { guess, messages, of } = zone;
  const ahead = zone.seconds_ahead > 0;
  const length = lengthText(Math.abs(zone.seconds_ahead) * 1000);
  const cache = useQueryClient();
  const zones = useMemo(() => zonesWith(guess, new Date()), [guess]);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [chosen, setChosen] = useState(zones[0] === own ? own : guess);
  const fix = useMutation({
    mutationFn: (timezone: string | null) => setTimezone(sender, timezone),
    onSuccess: ({ revision }, timezone) => {
      toast({
        tone: 'good',
        title: `Times of ${sender.host} are read as ${timezone ?? 'those of its source'}`,
        detail: `From now on, as revision ${revision}. Messages that are stored keep their times.`,
        ...(timezone !== null && { action: { label: 'Undo', run: () => fix.mutate(null) } }),
      });
      void cache.invalidateQueries({ queryKey: sendersQuery.queryKey });
    },
  });
  return (
    <section className={classes.card} data-tone="caution" aria-label="Time zone">
      <h3>
        Always {length} {ahead ? 'ahead' : 'behind'}
      </h3>
      <p>
        <strong>
          {formatCount(messages)} of {formatCount(of)}
        </strong>{' '}
        of the last messages say a time that is {length} {ahead ? 'after' : 'before'} their arrival.
        A whole number of quarters of an hour is a time zone, not a clock that drifts: it probably
        writes local time, UTC{guess}.
      </p>
      {mayChange ? (
        <div className={classes.fix}>
          <NativeSelect
            label="Read its times as"
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            <option value={guess}>UTC{guess}, all year</option>
            {zones.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </NativeSelect>
          <Button loading={fix.isPending} onClick={() => fix.mutate(chosen)}>
            Use it from now on
          </Button>
        </div>
      ) : (
        <p>An operator can set its zone here.</p>
      )}
      {fix.error !== null && <Notice tone="error" title={fix.error.message} />}
    </section>
  );
}
