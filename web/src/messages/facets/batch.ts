/** Makes one request of those that ask the same of single fields at the same moment: the sidebar opens several at once. */

type Waiting<Answer> = {
  field: string;
  signal: AbortSignal;
  resolve: (answer: Answer | undefined) => void;
  reject: (error: unknown) => void;
};

/** Asks for several fields at once. */
type Ask<Asked, Answer> = (
  asked: Asked,
  fields: string[],
  signal: AbortSignal,
) => Promise<Record<string, Answer>>;

export function batched<Asked, Answer>(ask: Ask<Asked, Answer>, fieldsMax: number) {
  const groups = new Map<string, Waiting<Answer>[]>();
  const begin = (key: string, asked: Asked): Waiting<Answer>[] => {
    const group: Waiting<Answer>[] = [];
    groups.set(key, group);
    setTimeout(() => {
      if (groups.get(key) === group) groups.delete(key);
      void send(ask, asked, group);
    });
    return group;
  };
  return (asked: Asked, field: string, signal: AbortSignal): Promise<Answer | undefined> =>
    new Promise((resolve, reject) => {
      const key = JSON.stringify(asked);
      const group = groups.get(key) ?? begin(key, asked);
      group.push({ field, signal, resolve, reject });
      if (group.length === fieldsMax) groups.delete(key);
    });
}

async function send<Asked, Answer>(
  ask: Ask<Asked, Answer>,
  asked: Asked,
  group: readonly Waiting<Answer>[],
): Promise<void> {
  const controller = new AbortController();
  // Not before nobody wants any of it.
  const leave = () => {
    if (group.every(({ signal }) => signal.aborted)) controller.abort();
  };
  group.forEach(({ signal }) => signal.addEventListener('abort', leave));
  leave();
  try {
    const fields = [...new Set(group.map(({ field }) => field))];
    const answers = await ask(asked, fields, controller.signal);
    group.forEach(({ field, resolve }) => resolve(answers[field]));
  } catch (error) {
    group.forEach(({ reject }) => reject(error));
  }
}
