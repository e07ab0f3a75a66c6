import type { CompletionUsage } from 'openai/resources/completions';
import type { ResponseUsage } from 'openai/resources/responses/responses';
import type { TokenUsage } from './types.ts';

export const NO_USAGE: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  requests: 0,
};

export function addUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    totalTokens: left.totalTokens + right.totalTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    requests: left.requests + right.requests,
  };
}

const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Endpoints leave fields out, so every one may be missing whatever the type says. */
export function chatUsage(usage: Partial<CompletionUsage> | null | undefined): TokenUsage {
  const inputTokens = count(usage?.prompt_tokens);
  const outputTokens = count(usage?.completion_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage?.total_tokens) || inputTokens + outputTokens,
    cachedTokens: count(usage?.prompt_tokens_details?.cached_tokens),
    reasoningTokens: count(usage?.completion_tokens_details?.reasoning_tokens),
    requests: 1,
  };
}

export function responsesUsage(usage: Partial<ResponseUsage> | null | undefined): TokenUsage {
  const inputTokens = count(usage?.input_tokens);
  const outputTokens = count(usage?.output_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage?.total_tokens) || inputTokens + outputTokens,
    cachedTokens: count(usage?.input_tokens_details?.cached_tokens),
    reasoningTokens: count(usage?.output_tokens_details?.reasoning_tokens),
    requests: 1,
  };
}
