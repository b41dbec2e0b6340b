/** Removes a token for good. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type TokenEntry, revokeToken, tokensQuery } from '../../api/tokens';
import { Confirm } from '../../ui/Confirm';
import { toast } from '../../ui/toast';
import { usedText } from './rows';

type Props = { token: TokenEntry; now: number; onClose: () => void };

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
