export const words = (text: string) => text.trim().split(/\s+/);

export const firstNames = words(`
  Maren Tobias Lena Oswald Juniper Bram Ana Kestrel Noor Elias Priya Mateo Ingrid Samir Chloe Dario Freya Hugo Imani
  Jonas Keiko Liam Mina Nils Olga Pablo Quinn Rosa Stefan Talia Umar Vera Walter Ximena Yusuf Zoe Amara Boris Celeste
  Dmitri Esther Farid Greta Hector Irene Jasper Kaya Lucas Marta Nadia Otto Petra Rafael Simone Theo Ursula Viktor Wren`);

export const lastNames = words(`
  Brandt Okafor Lindqvist Moreno Castellanos Haddad Novak Petrov Sandoval Whitfield Yamada Zielinski Ashworth Bergstrom
  Calloway Delgado Ellison Fontaine Grimaldi Hollis Iversen Jankowski Kowalski Lafferty Mbeki Nakamura Ortega Pruitt
  Quintero Rasmussen Sorensen Thackeray Underwood Valdez Weller Xiong Yates Abernathy Boucher Chaudhry Dvorak Eklund
  Farrow Gallego Huang Ito Jovanovic Kaplan Leclerc Mahoney Nwosu Oyelaran Paredes Ramsey`);

export const handles = words(`
  parcel ship label box crate harbor north cedar willow maple river stone copper velvet amber pixel retro vinyl sneaker
  card plush thrift denim candle ceramic garden lens camera bike trail summit anchor lantern meadow pepper honey clover
  tidal orbit comet ember indigo saffron marble quartz cobalt mint olive fern heron finch otter badger lynx`);

export const companies = [
  "Harbor Goods LLC",
  "Cedar & Pine Supply",
  "Northline Outfitters",
  "Bluebird Stationery",
  "Second Spin Records",
  "Granite State Cycles",
  "Marigold Ceramics",
  "Lakeside Card Shop",
  "Tidewater Antiques",
  "Copper Kettle Coffee",
];

export const streets = words(`
  Cedar Wharf Maple Juniper Franklin Lincoln Sycamore Prospect Chestnut Harbor Mill Orchard Summit Willow Jackson Grove
  Highland Canal Spruce Madison Division Meadow Church Bridge Walnut Pearl Monroe Garfield Lakeview Ridge`);

export const streetKinds = ["St", "Ave", "Rd", "Ln", "Blvd", "Dr", "Ct"];

/** City, state, and the first three digits of its zip codes. */
export const cities: readonly (readonly [city: string, state: string, zip: string])[] = [
  ["Austin", "TX", "787"],
  ["Portland", "ME", "041"],
  ["Portland", "OR", "972"],
  ["Columbus", "OH", "432"],
  ["Denver", "CO", "802"],
  ["Savannah", "GA", "314"],
  ["Madison", "WI", "537"],
  ["Tucson", "AZ", "857"],
  ["Spokane", "WA", "992"],
  ["Richmond", "VA", "232"],
  ["Boise", "ID", "837"],
  ["Omaha", "NE", "681"],
  ["Buffalo", "NY", "142"],
  ["Brooklyn", "NY", "112"],
  ["Oakland", "CA", "946"],
  ["Fresno", "CA", "937"],
  ["Tampa", "FL", "336"],
  ["Nashville", "TN", "372"],
  ["Duluth", "MN", "558"],
  ["Baton Rouge", "LA", "708"],
  ["Albuquerque", "NM", "871"],
  ["Burlington", "VT", "054"],
  ["Des Moines", "IA", "503"],
  ["Providence", "RI", "029"],
];

export const fedexNotes = {
  Pending: [""],
  "In Process": ["Quoted, waiting for the carrier", "Pickup booked for tomorrow"],
  Completed: ["Label sent", "Label sent, picked up the same day", "Sent; customer asked for a signature on delivery"],
  Cancelled: ["Customer changed their mind", "Over the size limit for this service", "Duplicate of an earlier order"],
  "Awaiting User Input": ["Receiver's phone number is missing", "Which of the two addresses is right?"],
};

export const parcelNotes = ["", "", "", "Fragile", "Leave at the back door", "Signature required", "Keep upright"];

export const refundReasons = [
  "Label was never scanned",
  "Printed twice",
  "Wrong address on the label",
  "Parcel was not picked up",
  "Customer bought the wrong weight",
  "",
];

export const adjustmentReasons = [
  "Goodwill for a late parcel",
  "Paid in cash at the counter",
  "Carrier overcharged",
  "Won the monthly raffle",
  "",
];

export const mistakeReasons = ["Wrong customer", "Typed the amount wrong", "Entered twice", "Payment was taken back"];
