/** Which step of the set-up is shown. It lives in the address bar, so the set-up can be left and come back to. */

export type WelcomeStep = 'send' | 'look';

type Params = Record<string, string | undefined>;

export function readStep(params: Params): WelcomeStep {
  return params['step'] === 'look' ? 'look' : 'send';
}

export function writeStep(step: WelcomeStep): Record<string, string> {
  return step === 'send' ? {} : { step };
}
