// Parameters with sliders: each has exact values to choose from, and a field for any other.

// The values that a slider offers around the value of a parameter: the least one, and the step.
function sliderScale(value) {
  if (isZero(value)) return { least: ZERO, step: ONE, count: 10 };
  const size = absolute(value);
  let step;
  if (isWhole(size)) step = size.n < 100n ? ONE : new Fraction(5n * 10n ** BigInt(String(size.n).length - 3));
  else {
    const finer = size.d / gcd(size.d, 20n) * 20n; // twentieths, and what the value is made of
    step = new Fraction(1n, finer <= 1000n ? finer : size.d);
  }
  const isChance = !isWhole(size) && compare(value, ZERO) > 0 && compare(value, ONE) < 0;
  const below = isChance || compare(value, ZERO) > 0 ? floor(divide(size, step)) : multiply(floor(divide(size, step)), whole(2));
  const least = subtract(value, multiply(below, step));
  const most = isChance ? ONE : compare(value, ZERO) > 0 ? add(size, maximum(size, multiply(step, whole(5)))) : ZERO;
  const count = Number(floor(divide(subtract(most, least), step)).n);
  return count <= 2000 ? { least, step, count } : undefined;
}

const maximum = (a, b) => (compare(a, b) < 0 ? b : a);

// A parameter's value from the page's data, and from what a person types; undefined for others.
function readSetting(data) {
  if (Array.isArray(data)) return data.map(readSetting);
  return typeof data === "string" ? readExact(data) : data;
}

function typedSetting(text) {
  const bare = text.trim();
  if (bare === "true" || bare === "false") return bare === "true";
  const items = /^\[(.*)\]$/.exec(bare);
  if (!items) return readTyped(bare);
  const values = items[1].trim() ? items[1].split(",").map(readTyped) : [];
  return values.includes(undefined) ? undefined : values;
}

// A setting as a person writes it: `0.25` rather than `1/4`.
function settingText(value) {
  if (!isNumber(value) || isFloat(value)) return show(value);
  const short = tableText(value);
  return short.includes("…") || short.includes("e") ? show(value) : short;
}

class Parameters {
  // `changed` is called with the settings: a map from name to value, of what is not as written.
  constructor(place, parameters, changed) {
    this.changed = changed;
    this.first = new Map();
    this.settings = new Map();
    this.controls = new Map();
    for (const { name, value, isSet } of parameters) {
      const read = readSetting(value);
      this.first.set(name, read);
      if (isSet) this.settings.set(name, read);
      place.append(this.control(name, read));
    }
    this.firstSettings = new Map(this.settings);
  }

  isFirst() {
    return this.settings.size === this.firstSettings.size
      && [...this.settings].every(([name, value]) => this.firstSettings.has(name) && same(value, this.firstSettings.get(name)));
  }

  control(name, value) {
    const part = document.createElement("div");
    part.className = "parameter";
    const label = document.createElement("label");
    const title = document.createElement("span");
    title.textContent = safe(name);
    const field = document.createElement("input");
    Object.assign(field, { type: "text", value: settingText(value), inputMode: "decimal", spellcheck: false, autocomplete: "off" });
    field.dataset.name = name;
    label.append(title, field);
    part.append(label);
    field.addEventListener("change", () => this.typed(name, field));
    const slider = isNumber(value) && !isFloat(value) ? this.slider(name, value) : undefined;
    if (slider) part.append(slider);
    if (typeof value === "boolean") {
      field.type = "checkbox";
      field.checked = value;
    }
    this.controls.set(name, { field, slider });
    return part;
  }

  slider(name, value) {
    const scale = sliderScale(value);
    if (!scale) return undefined;
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: scale.count });
    slider.dataset.name = name;
    slider.setAttribute("aria-label", `${safe(name)}, slider`);
    slider.scale = scale;
    this.moveSlider(slider, value);
    slider.addEventListener("input", () => this.set(name, add(scale.least, multiply(whole(slider.value), scale.step))));
    return slider;
  }

  moveSlider(slider, value) {
    const { least, step } = slider.scale;
    slider.value = Math.round(toFloat(divide(subtract(value, least), step)));
    slider.setAttribute("aria-valuetext", settingText(value));
  }

  typed(name, field) {
    const value = field.type === "checkbox" ? field.checked : typedSetting(field.value);
    field.setAttribute("aria-invalid", value === undefined);
    if (value !== undefined) this.set(name, value);
  }

  set(name, value) {
    this.settings.set(name, value);
    if (same(value, this.first.get(name)) && !this.firstSettings.has(name)) this.settings.delete(name);
    this.changed(this.settings);
  }

  reset() {
    this.settings = new Map(this.firstSettings);
    this.changed(this.settings);
  }

  // Show the values that hold: those of parameters that follow from others, too.
  show(values) {
    for (const [name, { field, slider }] of this.controls) {
      const value = values.get(name);
      if (field.type === "checkbox") field.checked = value;
      else if (field !== document.activeElement || typedSetting(field.value) === undefined || !same(typedSetting(field.value), value)) field.value = settingText(value);
      if (slider && isNumber(value) && !isFloat(value)) this.moveSlider(slider, value);
    }
  }
}
