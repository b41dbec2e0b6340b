/**
 * The few browser features that code without a screen needs: an address, storage, frames, and a
 * window with events.
 */

const FRAME_MS = 16;

class Memory extends Map<string, string> {
  getItem(key: string): string | null {
    return this.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.set(key, value);
  }
}

Object.assign(globalThis, {
  window: Object.assign(new EventTarget(), { location: new URL('http://localhost:3000') }),
  localStorage: new Memory(),
  requestAnimationFrame: (draw: FrameRequestCallback) => setTimeout(draw, FRAME_MS),
  cancelAnimationFrame: clearTimeout,
});
