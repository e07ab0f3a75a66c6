import type { Resource } from '../catalog/offer.ts';
import type { Tool } from '../catalog/tool.ts';
import type { UriVariables } from './uri-template.ts';

/** A resource that serves, and what stands behind it. */
export interface ServingResource {
  readonly resource: Resource;
  readonly tool: Tool;
  readonly isStranger: boolean;
}

export interface Found extends ServingResource {
  readonly variables: UriVariables;
}

export interface Offered {
  readonly tool: Tool;
  readonly isStranger: boolean;
}

/** Which resource answers under which URI. */
export class Addresses {
  readonly #byAddress = new Map<string, ServingResource>();
  /** Templates, the one that is meant first. */
  #templates: readonly Found[] = [];
  /** By address, the name of the resource that had it last. */
  #owners = new Map<string, string>();
  #clashes: readonly string[] = [];

  /**
   * Takes the resources of the catalog. An address that two of them claim stays with the one that had it; a stranger's
   * never stands in the way of a trusted one; else neither has it.
   */
  settle(offered: readonly Offered[]): void {
    const claims = new Map<string, (ServingResource & Offered)[]>();
    for (const { tool, isStranger } of offered) {
      if (tool.offer?.kind !== 'resource') continue;
      const address = addressOf(tool.offer);
      claims.set(address, [...(claims.get(address) ?? []), { tool, isStranger, resource: tool.offer }]);
    }
    const owners = new Map<string, string>();
    const clashes: string[] = [];
    this.#byAddress.clear();
    for (const [address, claimants] of claims) {
      const trusted = claimants.filter(({ isStranger }) => !isStranger);
      const rightful = trusted.length > 0 ? trusted : claimants;
      const before = rightful.find(({ resource }) => resource.name === this.#owners.get(address));
      const owner = before ?? (rightful.length === 1 ? rightful[0] : undefined);
      if (owner !== undefined) {
        owners.set(address, owner.resource.name);
        this.#byAddress.set(address, owner);
      }
      if (claimants.length > 1) clashes.push(clashText(address, claimants, owner));
    }
    this.#owners = owners;
    this.#clashes = clashes;
    this.#templates = [...this.#byAddress.values()]
      .filter(({ resource }) => resource.address.kind === 'template')
      .map((serving) => ({ ...serving, variables: {} }))
      .sort(
        (one, other) =>
          Number(one.isStranger) - Number(other.isStranger) ||
          literalChars(other.resource) - literalChars(one.resource),
      );
  }

  /** What is wrong, for the operator. */
  clashes(): readonly string[] {
    return this.#clashes;
  }

  /** All that have their address, in the order of their names. */
  list(): readonly ServingResource[] {
    return [...this.#byAddress.values()];
  }

  /**
   * The resource of a URI: its own, else the template that fixes most of it. What a trusted template serves no stranger's
   * address takes away, however exact it is.
   */
  find(uri: string): Found | undefined {
    const serving = this.#byAddress.get(uri);
    const own = serving?.resource.address.kind === 'uri' ? { ...serving, variables: {} } : undefined;
    if (own?.isStranger === false) return own;
    for (const serving of this.#templates) {
      if (serving.isStranger && own !== undefined) return own;
      const { address } = serving.resource;
      const variables = address.kind === 'template' ? address.template.match(uri) : undefined;
      if (variables !== undefined) return { ...serving, variables };
    }
    return own;
  }

  /** By the text of its template, or by its name. */
  findTemplate(text: string): ServingResource | undefined {
    return this.#templates.find(({ resource }) => addressOf(resource) === text || resource.name === text);
  }
}

/** The URI, or the template as it was written. */
export function addressOf({ address }: Resource): string {
  return address.kind === 'uri' ? address.uri : address.template.text;
}

function literalChars({ address }: Resource): number {
  return address.kind === 'template' ? address.template.literalChars : 0;
}

function clashText(
  address: string,
  claimants: readonly ServingResource[],
  owner: ServingResource | undefined,
): string {
  const names = claimants.map(({ resource }) => `"${resource.name}"`).join(' and ');
  const outcome = owner === undefined ? 'neither is used' : `"${owner.resource.name}" is used`;
  return `the resources ${names} have the same address ${address}; ${outcome}. Change one.`;
}
