/** The dialog to change one's own password. */
import { PasswordForm } from '../session/PasswordForm';
import { Dialog } from '../ui/Dialog';

type Props = { name: string; onClose: () => void; onChanged: () => void };

export function PasswordDialog({ name, onClose, onChanged }: Props) {
  return (
    <Dialog opened onClose={onClose} title="Change password" size="sm">
      <PasswordForm name={name} onChanged={onChanged} />
    </Dialog>
  );
}
