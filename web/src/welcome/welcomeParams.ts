/** Which step of the set-up is shown. It lives in the address bar, so the set-up can be left and come back to. */

export type Step = 'send' | 'look';

type Params = Record<string, string | undefined>;

export function readStep(params: Params): Step {
  return params['step'] === 'look' ? 'look' : 'send';
}

export function writeStep(step: Step): Record<string, string> {
  return step === 'send' ? {} : { step };
}
