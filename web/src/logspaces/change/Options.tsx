/** The options of a logspace: its durability, and its removal. */
import { Anchor, Button, Radio } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Durability, changeLogspace, feedingQuery, retireLogspace } from '../../api/logspaces';
import type { LogspaceInfo } from '../../api/model';
import type { User } from '../../api/session';
import { Confirm } from '../../ui/Confirm';
import { Failure } from '../../ui/Notice';
import { formatMessages } from '../../ui/number';
import { useRevisionLive } from '../useRevisionLive';
import { mayChangeRouter } from '../permission';
import classes from './Change.module.css';
import { address } from '../../ui/open';

type Props = { info: LogspaceInfo; may: boolean; user: User | null; onRetired: () => void };

export function Options({ info, may, user, onRetired }: Props) {
  const announce = useRevisionLive();
  const live = info.durability ?? 'fsync';
  const [chosen, setChosen] = useState<Durability | null>(null);
  const durability = chosen ?? live;
  const save = useMutation({
    mutationFn: () => {
      const { age, size } = info.retention;
      const retention = { ...(age != null && { age }), ...(size != null && { size }) };
      return changeLogspace(info.id, retention, durability, `durability of \`${info.id}\``);
    },
    onSuccess: async ({ revision }) => {
      setChosen(null);
      await announce(revision);
    },
  });
  if (!info.in_router) return null;
  return (
    <div className="stack gap16">
      <Failure error={save.error} />
      <DurabilityChoice value={durability} disabled={!may} onChange={setChosen} />
      {durability !== live && (
        <div className="flex gap8">
          <Button onClick={() => setChosen(null)}>Cancel</Button>
          <Button variant="filled" loading={save.isPending} onClick={() => save.mutate()}>
            Apply as a revision
          </Button>
        </div>
      )}
      {mayChangeRouter(user) && <Retire info={info} onRetired={onRetired} />}
    </div>
  );
}

function Retire({ info, onRetired }: { info: LogspaceInfo; onRetired: () => void }) {
  const announce = useRevisionLive();
  const [isAsked, setAsked] = useState(false);
  const { data: feeding } = useQuery(feedingQuery);
  const routes = feeding?.get(info.id) ?? [];
  const retire = useMutation({
    mutationFn: () => retireLogspace(info.id),
    onSuccess: async ({ revision }) => {
      await announce(revision, `${info.id} is retired`);
      setAsked(false);
      onRetired();
    },
  });
  return (
    <div className={classes.retire}>
      <h3>Retire</h3>
      <p className="dimmed">
        Nothing new comes in. The messages stay on the disk and can be searched, and no retention
        removes them any more.
      </p>
      {routes.length > 0 ? (
        <p>
          {routes.length === 1 ? 'The route ' : 'The routes '}
          <b>{routes.join(', ')}</b> {routes.length === 1 ? 'sends' : 'send'} to it:{' '}
          <Anchor href={address('/router', { view: 'list' })} underline="always">
            change that in the router
          </Anchor>{' '}
          first.
        </p>
      ) : (
        <Button
          variant="outline"
          color="red"
          disabled={feeding === undefined}
          onClick={() => setAsked(true)}
        >
          Retire {info.id}…
        </Button>
      )}
      {isAsked && (
        <Confirm
          title={`Retire ${info.id}`}
          action="Retire as a revision"
          word={info.id}
          isPending={retire.isPending}
          error={retire.error}
          onConfirm={() => retire.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>
            The router document no longer has {info.id}. {keptText(info.messages)} Senders and
            tokens that name it are refused.
          </p>
          <p>A new logspace of the same name takes it up again.</p>
        </Confirm>
      )}
    </div>
  );
}

function keptText(messages: number): string {
  if (messages === 0) return 'It holds no messages.';
  const verb = messages === 1 ? 'stays' : 'stay';
  return `Its ${formatMessages(messages)} ${verb} on the disk, can be searched, and no retention removes them.`;
}

type DurabilityChoiceProps = {
  value: Durability;
  disabled?: boolean;
  onChange: (durability: Durability) => void;
};

/** The choice when a message is acknowledged. */
export function DurabilityChoice({ value, disabled = false, onChange }: DurabilityChoiceProps) {
  return (
    <Radio.Group
      label="A message is acknowledged"
      value={value}
      onChange={(chosen) => onChange(chosen === 'os' ? 'os' : 'fsync')}
    >
      <div className="stack gap8 marginTop8">
        <Radio
          value="fsync"
          disabled={disabled}
          label="once it is on the disk (fsync)"
          description="It survives a power cut."
        />
        <Radio
          value="os"
          disabled={disabled}
          label="once the operating system has it (os)"
          description="Faster; a power cut loses the last messages."
        />
      </div>
    </Radio.Group>
  );
}
