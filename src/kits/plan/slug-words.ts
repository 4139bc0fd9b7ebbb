/** The words that plan names are made of: all friendly, none with a meaning. */

const listOf = (text: string): readonly string[] => text.trim().split(/\s+/)

export const adjectives = (): readonly string[] =>
  listOf(`
agile airy alert amber ample apt arctic ardent artful atomic autumn azure balmy basic blithe bold bonny bouncy
brave breezy bright brisk broad bronze bubbly calm candid careful casual cedar cheerful chilly cobalt clear
clever close coastal copper cordial cosmic cozy crisp cubic curious dainty dapper daring deep deft dewy direct
dotted downy dreamy dry dusky early earnest easy eager elegant elder elfin epic even exact fabled fair famous
fancy fast fertile fine firm fleet floral fluent fluffy fond formal fresh frosty frugal full gentle giddy
gilded glad gleaming glossy golden good graceful grand grassy great green handy happy hardy hazel hearty
helpful honest humble icy ideal indigo inland ivory jade jaunty jolly jovial joyful keen kind large leafy
level light lilac limber linen little lively local lofty loyal lucid lucky lunar lush maple marble mellow
merry mild minty misty modest mossy neat new nimble noble northern novel oaken olive opal open orderly patient
peaceful pearly peppy placid plain playful pleasant plucky plum polite poised prime proud purple quick quiet
radiant rapid ready regal rosy round royal ruby rustic sandy scarlet serene sharp shiny silent silky silver
simple sleek smooth snowy soft solar solid sonic southern spry stable starry steady still stout sturdy subtle
sunny super sure swift tall tame tawny teal tender thrifty tidy timely tiny topaz tranquil trim true trusty
upbeat urban useful valiant vast velvet verdant violet vivid warm wavy western whole wide willing windy wise
witty wooden woolly young zesty
`)

export const verbs = (): readonly string[] =>
  listOf(`
adding airing amusing arching asking baking balancing basking beaming bending binding blending blinking
blooming blowing boating bobbing bouncing bowing braiding bridging brewing brushing budding building buzzing
calling camping carving casting catching charting chasing chatting checking cheering chiming chirping circling
clapping climbing coasting coding combing cooking copying counting crafting cruising curling cycling dancing
darting dashing daring digging dining dipping diving dozing drafting drawing dreaming drifting driving
drumming dusting echoing editing exploring facing farming ferrying fetching filing filling finding fishing
fixing flashing flipping floating flowing flying folding forming framing gathering gazing giving glancing
glazing gleaming gliding glowing going grazing greeting grinning growing guessing guiding hatching helping
hiking hinting hopping hovering humming jogging joining joking juggling jumping keeping knitting landing
lapping lasting laughing leading leaning leaping learning lending lifting lighting linking listening living
looking looping making mapping marching matching measuring meeting melting mending mixing molding moving
musing nesting nodding noting opening packing paddling painting parking passing pausing peeking perching
picking piloting planting playing pointing polishing posing pouring printing puzzling racing raking ranging
reading resting riding ringing rising roaming rolling roving rowing running sailing saving scaling seeking
sewing sharing shining singing sitting skating sketching skiing skipping sliding smiling soaring solving
sorting sowing spinning splashing spotting stacking standing starting steering stepping stirring strolling
surfing swaying sweeping swimming swinging talking tapping tasting telling tending testing thinking tiling
tracing trading trailing training trekking trotting tuning turning typing using viewing visiting voting
waiting waking walking waltzing washing watching waving weaving whirling whistling winding winking wishing
wondering working writing zooming
`)

export const nouns = (): readonly string[] =>
  listOf(`
acorn album almond alpaca anchor antler apple apricot arbor arch arrow aspen atlas attic badger bagel balcony
bamboo banjo barley barn basil basin basket bay beach beacon beaver bell berry birch biscuit bison blanket
blossom boat bobcat bonsai book boulder bramble bridge brook broom bucket buffalo button cabin cactus camel
candle canoe canyon carpet carrot castle cave cedar cello chair cheese cherry chestnut cinder citrus clock
cloud clover coast cobbler cocoa comet compass coral cottage cove coyote crane crater creek cricket crow
crystal cup cushion daisy dahlia dawn deer desert dolphin donkey door dove dragonfly drum dune eagle easel elk
elm ember falcon feather fern ferry fiddle field fig finch fjord flame flute forest fountain fox garden garnet
gazelle gecko geyser ginger glacier glade goose gopher grape grove guitar gull hammock harbor harp hawk hazel
hedge heron hill honey horizon iguana inlet iris island ivy jaguar jasmine jay jungle juniper kayak kettle
kite kiwi koala ladder lagoon lake lantern lark lavender leaf lemon lemur library lighthouse lily lime llama
lobster loom lotus lynx magnolia magpie mango maple marsh meadow melon meteor mill mint mirror mitten moon
moose mosaic moss mountain muffin mulberry nebula nectar nest newt nutmeg oak oasis ocean octopus olive onion
orchard orchid osprey otter owl oyster paddle palm panda pancake papaya parrot path peach peacock pear pebble
pelican pencil penguin pepper petal piano pine planet plateau plum pond poppy prairie puffin pumpkin quail
quartz quilt rabbit raccoon radish raft rain raven reef ribbon ridge river robin rocket rose saddle saffron
sail salmon sandal scarf seal shell shore sketch sloth snail sparrow spoon spring spruce squash squirrel star
stone stork stream summit sun swan table tapir teapot thistle thyme tiger toast tortoise tower trail tulip
tundra turnip turtle valley vase violin volcano wagon walnut walrus waterfall wave whale wheat willow window
wolf wren yacht yak zebra
`)
