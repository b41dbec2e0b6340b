/**
 * Gives a token a new secret. The present one keeps working for a while, so that senders can be
 * changed one after the other.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, FormEnd } from '../../ui/Form';
import { type TokenEntry, revokeToken, rotateToken, tokensQuery } from '../../api/users';
import { Dialog } from '../../ui/Dialog';
import { Failure, Notice } from '../../ui/Notice';
import { SelectField } from '../../ui/Fields';
import { formatTime, useZone } from '../../ui/time';
import { Confirm } from '../../ui/Confirm';
import { toast } from '../../ui/toast';
import { Secret } from './PanelFrame';
import { usedText } from './rows';

const overlaps = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

export function RotateDialog({ token, onClose }: { token: TokenEntry; onClose: () => void }) {
  const cache = useQueryClient();
  const [zone] = useZone();
  const [overlap, setOverlap] = useState('24h');
  const rotate = useMutation({
    mutationFn: () => rotateToken(token.id, overlap),
    onSuccess: () => cache.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const until = overlaps.find(({ value }) => value === overlap)?.label ?? overlap;
  return (
    <Dialog opened onClose={onClose} title={`Rotate ${token.name}`}>
      {rotate.data !== undefined ? (
        <Secret
          of={token.name}
          secret={rotate.data.token}
          note={`The former secret works for another ${until}.`}
          onDone={onClose}
        />
      ) : (
        <Form className="stack gap12" onSubmit={() => rotate.mutate()}>
          <p>The token gets a new secret; its rights and its end stay as they are.</p>
          {token.former_until !== null && (
            <Notice
              tone="caution"
              title={`The secret before the present one stops working at once, not on ${formatTime(token.former_until, zone).slice(0, 16)}`}
            />
          )}
          <Failure error={rotate.error} />
          <SelectField
            label="The present secret works for another"
            data-autofocus
            value={overlap}
            data={overlaps}
            onChange={setOverlap}
          />
          <FormEnd action="Make a new secret" isPending={rotate.isPending} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  );
}

type Props = { token: TokenEntry; now: number; onClose: () => void };

/** Removes a token for good. */
export function RevokeDialog({ token, now, onClose }: Props) {
  const cache = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: tokensQuery.queryKey });
      toast({ tone: 'good', title: `${token.name} is revoked` });
      onClose();
    },
  });
  return (
    <Confirm
      title={`Revoke ${token.name}`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        The token stops working at once. Whatever still uses it is refused with 401. Last used:{' '}
        {usedText(token, now)}.
      </p>
      <p>It cannot be brought back. To change only its secret, rotate it.</p>
    </Confirm>
  );
}
