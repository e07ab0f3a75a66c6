import { Decimal } from 'decimal.js';
import type { Dimension, Quantity } from './dimension.ts';

type Prefixes = 'none' | 'metric' | 'data';

interface Unit extends Quantity {
  readonly prefixes: Prefixes;
}

/** Names (symbols first), how many base units it is, base units, prefixes. Exact definitions (SI, NIST SP 811). */
type Row = readonly [names: string, factor: string, dimension: Dimension, prefixes?: Prefixes];

const LENGTH = { m: 1 };
const AREA = { m: 2 };
const VOLUME = { m: 3 };
const MASS = { kg: 1 };
const TIME = { s: 1 };
const SPEED = { m: 1, s: -1 };
const FORCE = { kg: 1, m: 1, s: -2 };
const PRESSURE = { kg: 1, m: -1, s: -2 };
const ENERGY = { kg: 1, m: 2, s: -2 };
const POWER = { kg: 1, m: 2, s: -3 };

const ROWS: readonly Row[] = [
  ['m meter meters metre metres', '1', LENGTH, 'metric'],
  ['in inch inches ″ "', '0.0254', LENGTH],
  ["ft foot feet ′ '", '0.3048', LENGTH],
  ['yd yard yards', '0.9144', LENGTH],
  ['mi mile miles', '1609.344', LENGTH],
  ['nmi nautical_mile nautical_miles', '1852', LENGTH],
  ['mil thou', '0.0000254', LENGTH],
  ['fathom fathoms', '1.8288', LENGTH],
  ['furlong furlongs', '201.168', LENGTH],
  ['au astronomical_unit astronomical_units', '149597870700', LENGTH],
  ['ly light_year light_years lightyear lightyears', '9460730472580800', LENGTH],
  ['pc parsec parsecs', '30856775814913672.789', LENGTH, 'metric'],
  ['Å angstrom angstroms', '1e-10', LENGTH],
  ['micron microns', '1e-6', LENGTH],
  ['pt point points', '0.000352777777777777777777777777778', LENGTH],

  ['ha hectare hectares', '10000', AREA],
  ['are ares', '100', AREA],
  ['acre acres ac', '4046.8564224', AREA],
  ['sqm', '1', AREA],
  ['sqft', '0.09290304', AREA],
  ['sqmi', '2589988.110336', AREA],

  ['l L liter liters litre litres', '0.001', VOLUME, 'metric'],
  ['cc', '1e-6', VOLUME],
  ['gal gallon gallons us_gallon us_gallons', '0.003785411784', VOLUME],
  ['qt quart quarts', '0.000946352946', VOLUME],
  ['pint pints', '0.000473176473', VOLUME],
  ['cup cups', '0.0002365882365', VOLUME],
  ['floz fl_oz fluid_ounce fluid_ounces', '0.0000295735295625', VOLUME],
  ['tbsp tablespoon tablespoons', '0.00001478676478125', VOLUME],
  ['tsp teaspoon teaspoons', '0.00000492892159375', VOLUME],
  ['imperial_gallon imperial_gallons uk_gallon uk_gallons impgal', '0.00454609', VOLUME],
  ['imperial_pint imperial_pints uk_pint uk_pints', '0.00056826125', VOLUME],
  ['imperial_fluid_ounce imperial_fluid_ounces', '0.0000284130625', VOLUME],
  ['bbl barrel barrels', '0.158987294928', VOLUME],
  ['bushel bushels', '0.03523907016688', VOLUME],

  ['g gram grams gramme grammes', '0.001', MASS, 'metric'],
  ['t tonne tonnes metric_ton metric_tons', '1000', MASS, 'metric'],
  ['lb lbs pound pounds', '0.45359237', MASS],
  ['oz ounce ounces', '0.028349523125', MASS],
  ['st stone stones', '6.35029318', MASS],
  ['ton tons short_ton short_tons us_ton us_tons', '907.18474', MASS],
  ['long_ton long_tons imperial_ton imperial_tons', '1016.0469088', MASS],
  ['grain grains', '0.00006479891', MASS],
  ['carat carats ct', '0.0002', MASS],
  ['ozt troy_ounce troy_ounces', '0.0311034768', MASS],
  ['slug slugs', '14.593902937206364829', MASS],
  ['u Da dalton daltons amu', '1.66053906892e-27', MASS],

  ['s sec secs second seconds', '1', TIME, 'metric'],
  ['min mins minute minutes', '60', TIME],
  ['h hr hrs hour hours', '3600', TIME],
  ['d day days', '86400', TIME],
  ['week weeks wk', '604800', TIME],
  ['fortnight fortnights', '1209600', TIME],
  ['month months', '2629746', TIME],
  ['year years yr yrs', '31556952', TIME],
  ['decade decades', '315569520', TIME],
  ['century centuries', '3155695200', TIME],

  ['Hz hertz', '1', { s: -1 }, 'metric'],
  ['rpm', '0.0166666666666666666666666666666666667', { s: -1 }],
  ['Bq becquerel becquerels', '1', { s: -1 }, 'metric'],

  ['mph', '0.44704', SPEED],
  ['kph kmh', '0.277777777777777777777777777777777778', SPEED],
  ['kn kt knot knots', '0.514444444444444444444444444444444444', SPEED],
  ['fps', '0.3048', SPEED],
  ['c0 speed_of_light', '299792458', SPEED],
  ['gn g0 standard_gravity', '9.80665', { m: 1, s: -2 }],

  ['N newton newtons', '1', FORCE, 'metric'],
  ['lbf pound_force pounds_force', '4.4482216152605', FORCE],
  ['kgf kilogram_force kp', '9.80665', FORCE],
  ['dyn dyne dynes', '0.00001', FORCE],

  ['Pa pascal pascals', '1', PRESSURE, 'metric'],
  ['bar bars', '100000', PRESSURE, 'metric'],
  ['atm atmosphere atmospheres', '101325', PRESSURE],
  ['psi', '6894.75729316836133672', PRESSURE],
  ['ksi', '6894757.29316836133672', PRESSURE],
  ['mmHg', '133.322387415', PRESSURE],
  ['inHg', '3386.388640341', PRESSURE],
  ['Torr torr', '133.322368421052631578947368421052632', PRESSURE],

  ['J joule joules', '1', ENERGY, 'metric'],
  ['Wh watthour watthours watt_hour watt_hours', '3600', ENERGY, 'metric'],
  ['cal calorie calories', '4.184', ENERGY, 'metric'],
  ['Cal', '4184', ENERGY],
  ['BTU Btu btu', '1055.05585262', ENERGY],
  ['therm therms', '105505585.262', ENERGY],
  ['eV electronvolt electronvolts', '1.602176634e-19', ENERGY, 'metric'],
  ['erg ergs', '1e-7', ENERGY],
  ['ftlb ftlbf foot_pound foot_pounds', '1.3558179483314004', ENERGY],

  ['W watt watts', '1', POWER, 'metric'],
  ['hp horsepower', '745.69987158227022', POWER],
  ['PS metric_horsepower', '735.49875', POWER],

  ['mpg', '425143.707430272036', { m: -2 }],
  ['imperial_mpg uk_mpg', '354006.189934647136', { m: -2 }],

  ['A amp amps ampere amperes', '1', { A: 1 }, 'metric'],
  ['C coulomb coulombs', '1', { A: 1, s: 1 }, 'metric'],
  ['Ah amp_hour amp_hours', '3600', { A: 1, s: 1 }, 'metric'],
  ['V volt volts', '1', { ...POWER, A: -1 }, 'metric'],
  ['Ω ohm ohms', '1', { ...POWER, A: -2 }, 'metric'],
  ['S siemens', '1', { kg: -1, m: -2, s: 3, A: 2 }, 'metric'],
  ['F farad farads', '1', { kg: -1, m: -2, s: 4, A: 2 }, 'metric'],
  ['H henry henries', '1', { ...ENERGY, A: -2 }, 'metric'],
  ['T tesla teslas', '1', { kg: 1, s: -2, A: -1 }, 'metric'],
  ['Wb weber webers', '1', { ...ENERGY, A: -1 }, 'metric'],

  ['K kelvin kelvins', '1', { K: 1 }, 'metric'],
  ['mol mole moles', '1', { mol: 1 }, 'metric'],
  ['cd candela candelas', '1', { cd: 1 }, 'metric'],
  ['Gy gray grays Sv sievert sieverts', '1', { m: 2, s: -2 }, 'metric'],

  ['rad radian radians', '1', { rad: 1 }, 'metric'],
  ['deg ° degree degrees', '0.0174532925199432957692369076848861271', { rad: 1 }],
  ['grad gradian gradians gon', '0.0157079632679489661923132169163975144', { rad: 1 }],
  ['arcmin arcminute arcminutes', '0.000290888208665721596153948461414768786', { rad: 1 }],
  ['arcsec arcsecond arcseconds', '0.00000484813681109535993589914102357947976', { rad: 1 }],
  ['turn turns revolution revolutions rev', '6.28318530717958647692528676655900577', { rad: 1 }],

  ['bit bits b', '1', { bit: 1 }, 'data'],
  ['B byte bytes', '8', { bit: 1 }, 'data'],
  ['bps', '1', { bit: 1, s: -1 }, 'data'],

  ['% percent', '0.01', {}],
  ['‰ permille', '0.001', {}],
  ['ppm', '0.000001', {}],
  ['ppb', '0.000000001', {}],
  ['dozen dozens', '12', {}],
];

const METRIC: Readonly<Record<string, string>> = {
  ...{
    Q: '1e30',
    R: '1e27',
    Y: '1e24',
    Z: '1e21',
    E: '1e18',
    P: '1e15',
    T: '1e12',
    G: '1e9',
    M: '1e6',
    k: '1e3',
  },
  ...{ h: '1e2', da: '1e1', d: '1e-1', c: '1e-2', m: '1e-3', u: '1e-6', µ: '1e-6', μ: '1e-6', n: '1e-9' },
  ...{ p: '1e-12', f: '1e-15', a: '1e-18', z: '1e-21', y: '1e-24' },
  ...{
    exa: '1e18',
    peta: '1e15',
    tera: '1e12',
    giga: '1e9',
    mega: '1e6',
    kilo: '1e3',
    hecto: '1e2',
    deca: '1e1',
  },
  ...{
    deci: '1e-1',
    centi: '1e-2',
    milli: '1e-3',
    micro: '1e-6',
    nano: '1e-9',
    pico: '1e-12',
    femto: '1e-15',
  },
};

const BINARY: Readonly<Record<string, string>> = {
  ...{ Ki: '1024', Mi: '1048576', Gi: '1073741824', Ti: '1099511627776', Pi: '1125899906842624' },
  ...{ Ei: '1152921504606846976', kibi: '1024', mebi: '1048576', gibi: '1073741824', tebi: '1099511627776' },
};

const DATA: Readonly<Record<string, string>> = {
  ...{ k: '1e3', K: '1e3', M: '1e6', G: '1e9', T: '1e12', P: '1e15', E: '1e18' },
  ...{ kilo: '1e3', mega: '1e6', giga: '1e9', tera: '1e12', peta: '1e15', exa: '1e18' },
  ...BINARY,
};

const TABLES: Readonly<Record<Prefixes, Readonly<Record<string, string>>>> = {
  none: {},
  metric: METRIC,
  data: DATA,
};

const UNITS = new Map<string, Unit>(
  ROWS.flatMap(([names, factor, dimension, prefixes = 'none']) => {
    const unit: Unit = { factor: new Decimal(factor), dimension, prefixes };
    return names.split(' ').map((name) => [name, unit] as const);
  }),
);

/** Every unit's first name, for messages. */
export const UNIT_NAMES: readonly string[] = [...UNITS.keys()];

/** `km`, `kilometers`, `GiB`; the exact spelling first, then without regard to case where only one unit fits. */
export function findUnit(name: string): Quantity | undefined {
  return findExact(name) ?? findIgnoringCase(name);
}

function findExact(name: string): Quantity | undefined {
  const plain = UNITS.get(name);
  if (plain) return plain;
  for (let length = Math.min(5, name.length - 1); length > 0; length--) {
    const unit = UNITS.get(name.slice(length));
    const table = TABLES[unit?.prefixes ?? 'none'];
    const prefix = name.slice(0, length);
    const scale = Object.hasOwn(table, prefix) ? table[prefix] : undefined;
    if (unit && scale !== undefined) return { factor: unit.factor.times(scale), dimension: unit.dimension };
  }
  return undefined;
}

/** `KM`, `Miles`, `Kilograms`. `mW` and `MW` differ by case, so a symbol of which two readings exist is not guessed. */
function findIgnoringCase(name: string): Quantity | undefined {
  const lower = name.toLowerCase();
  const word = lower.length > 3 ? findExact(lower) : undefined;
  if (word) return word;
  const units = new Set(
    UNIT_NAMES.filter((known) => known.toLowerCase() === lower).map((known) => UNITS.get(known)),
  );
  const [only] = units;
  if (units.size === 1) return only;
  return lower === 'km' || lower === 'kg' || lower === 'cm' ? findExact(lower) : undefined;
}
