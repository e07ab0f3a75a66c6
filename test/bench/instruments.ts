import type { Instrument } from './finding.ts';
import { firstCall } from './instruments/first-call.ts';
import { freshCall } from './instruments/fresh-call.ts';
import { hostCalls } from './instruments/host-calls.ts';
import { idle } from './instruments/idle.ts';
import { payloads } from './instruments/payloads.ts';
import { recovery } from './instruments/recovery.ts';
import { reload } from './instruments/reload.ts';
import { soak } from './instruments/soak.ts';
import { start } from './instruments/start.ts';
import { throughput } from './instruments/throughput.ts';
import { warmCall } from './instruments/warm-call.ts';

export const INSTRUMENTS: readonly Instrument[] = [
  // First, in a process that no other instrument has left anything in.
  idle,
  warmCall,
  freshCall,
  throughput,
  payloads,
  hostCalls,
  start,
  firstCall,
  reload,
  recovery,
  soak,
];
